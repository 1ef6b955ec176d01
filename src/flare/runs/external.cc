#include "flare/runs/external.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "flare/nn/architectures.h"
#include "flare/runs/run_settings.h"

namespace flare {

void CheckExternal(const External& external, const std::string& where) {
  CheckDirectoryName(external.name, where);
  // A variant's text is NAME,KEY=VALUE.
  if (external.name.find_first_of(",=") != std::string::npos) {
    throw InputError(where, fmt::format("{} has a comma or an equals sign", Quoted(external.name)));
  }
  if (FindArchitecture(external.name) != nullptr) {
    throw InputError(where, fmt::format("{} is built in", Quoted(external.name)),
                     "give an architecture with a command another name");
  }
  if (external.command.empty() || external.command[0].empty()) {
    throw InputError(where, fmt::format("{} has no command", Quoted(external.name)),
                     "expected a list: the program and its arguments");
  }
  for (const std::string& word : external.command) {
    if (word.find('\0') == std::string::npos) continue;
    throw InputError(
        where, fmt::format("command: {} has a NUL, where the system would end it", Quoted(word)));
  }
  // A variant's text, and so the run's directory, has them in it.
  for (const std::string& option : external.options) {
    const bool is_word =
        !option.empty() && std::all_of(option.begin(), option.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 || c == '_' || c == '-';
        });
    if (!is_word) {
      throw InputError(where, fmt::format("options: {} is not a name", Quoted(option)),
                       "expected letters, digits, '_' and '-'");
    }
  }
  // The members of config.json besides settings.
  for (const char* member :
       {"format", "data", "external", "drawn", "arithmetic", "native_target", kCheckMember}) {
    if (std::find(external.options.begin(), external.options.end(), member) !=
        external.options.end()) {
      throw InputError(where, fmt::format("options: {} has a meaning in config.json", member),
                       "give the option another name");
    }
  }
  RunSettings settings;
  VisitSettings(settings, [&](const std::string& key, auto&, const SettingRange&, const char*) {
    if (std::find(external.options.begin(), external.options.end(), key) !=
        external.options.end()) {
      throw InputError(where, fmt::format("options: {} is a setting of all runs", key));
    }
  });
}

const External* FindExternal(const std::vector<External>& externals, std::string_view name) {
  const auto found = std::find_if(externals.begin(), externals.end(),
                                  [&](const External& one) { return one.name == name; });
  return found == externals.end() ? nullptr : &*found;
}

bool FollowsRecipes(const External& external) {
  return std::any_of(external.command.begin(), external.command.end(), [](const std::string& word) {
    return word == "flarelang.fit" || word == "flarelang.external";
  });
}

std::string ExternalOptionValue(const std::string& text, const std::string& where) {
  const auto unfit = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  if (text.find_first_of(",=/") != std::string::npos ||
      std::any_of(text.begin(), text.end(), unfit)) {
    throw InputError(where, fmt::format("{} has a comma, an equals sign, a slash or a control "
                                        "character",
                                        Quoted(text)));
  }
  return text;
}

Json ExternalToJson(const External& external) {
  Json json = {{"command", external.command}, {"options", external.options}};
  if (!external.files.empty()) json["files"] = external.files;
  return json;
}

External ExternalFromJson(const std::string& name, const JsonValue& json) {
  External external{name, json.Strings("command"), json.Strings("options")};
  if (const auto files = json.Find("files")) {
    files->ForEach([&](std::string_view file, const JsonValue& hash) {
      external.files[std::string(file)] = hash.AsString(file);
    });
  }
  return external;
}

}  // namespace flare
