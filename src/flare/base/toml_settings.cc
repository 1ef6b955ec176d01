#include "flare/base/toml_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "flare/base/error.h"

namespace flare {
namespace {

void Append(const toml::table& table, const std::string& prefix, const std::string& file,
            std::vector<TomlSetting>& settings) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    const std::string where = WhereIs(node, file);
    if (const auto* inner = node.as_table()) {
      if (inner->empty()) throw InputError(where, fmt::format("[{}] has no settings", key));
      Append(*inner, key + ".", file, settings);
    } else if (const auto* list = node.as_array()) {
      settings.push_back({key, TomlListText(*list, key, file), where});
    } else {
      settings.push_back({key, TomlText(node, key, file), where});
    }
  }
}

}  // namespace

toml::table ParseToml(std::string_view text, const std::string& file) {
  constexpr std::ptrdiff_t kMostDots = 2'000;
  if (std::count(text.begin(), text.end(), '.') > kMostDots) {
    throw InputError(file, fmt::format("has more than {} dots", kMostDots));
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw InputError(FileLine(file, error.source().begin.line), std::string(error.description()));
  }
}

std::string WhereIs(const toml::node& node, const std::string& file) {
  return FileLine(file, node.source().begin.line);
}

std::string TomlText(const toml::node& node, const std::string& key, const std::string& file) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  throw InputError(WhereIs(node, file),
                   fmt::format("{}: expected a number, a word or true/false", key));
}

std::string TomlListText(const toml::array& list, const std::string& key, const std::string& file) {
  std::vector<std::string> items;
  for (const toml::node& item : list) {
    const auto* inner = item.as_array();
    items.push_back(inner != nullptr ? TomlListText(*inner, key, file) : TomlText(item, key, file));
  }
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::vector<TomlSetting> SettingsIn(const toml::table& table, const std::string& file) {
  std::vector<TomlSetting> settings;
  Append(table, "", file, settings);
  return settings;
}

}  // namespace flare
