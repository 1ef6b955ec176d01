#include "flare/cli/command_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace flare {
namespace {

// CLI11 describes a choice as "TEXT:{bash,zsh}".
std::vector<std::string> ChoicesIn(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return choices;
  for (std::size_t begin = open + 1; begin < close;) {
    const std::size_t end = std::min(type.find(',', begin), close);
    choices.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

OptionInfo Describe(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  info.is_argument = info.names.empty();
  if (info.is_argument) info.names.push_back(option.get_name(true));
  info.is_required = option.get_required();
  info.repeats = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0) {
    info.value = option.get_type_name();
    info.choices = ChoicesIn(info.value);
    if (!info.choices.empty()) info.value = fmt::format("{}", fmt::join(info.choices, "|"));
  }
  info.help = option.get_description();
  info.default_value = option.get_default_str();
  return info;
}

CommandInfo DescribeBelow(const CLI::App& app, const std::string& parents) {
  CommandInfo info{app.get_name(), parents + app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    // Old names that are still read belong to no group, and are not shown.
    if (!option->get_group().empty()) info.options.push_back(Describe(*option));
  }
  const auto every = [](const CLI::App*) { return true; };
  for (const CLI::App* sub : app.get_subcommands(every)) {
    if (!sub->get_name().empty()) info.subcommands.push_back(DescribeBelow(*sub, info.path + " "));
  }
  return info;
}

}  // namespace

CommandInfo Describe(const CLI::App& app) { return DescribeBelow(app, ""); }

}  // namespace flare
