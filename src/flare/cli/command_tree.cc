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

namespace {

// A line that begins with a dot or a quote would be a request; a hyphen is not a minus.
std::string Roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
  return escaped;
}

std::string Entry(const OptionInfo& option) {
  std::string text = ".TP\n";
  if (option.is_argument) {
    text += fmt::format("\\fI{}\\fR{}\n", Roff(option.names[0]), option.repeats ? " ..." : "");
  } else {
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back("\\fB" + Roff(name) + "\\fR");
    text += fmt::format("{}", fmt::join(names, ", "));
    if (!option.value.empty()) text += fmt::format(" \\fI{}\\fR", Roff(option.value));
    text += "\n";
  }
  text += Roff(option.help);
  if (!option.default_value.empty()) text += fmt::format(" [{}]", Roff(option.default_value));
  return text + "\n";
}

std::string Synopsis(const CommandInfo& command) {
  std::string text = fmt::format("\\fB{}\\fR [OPTIONS]", Roff(command.path));
  for (const OptionInfo& option : command.options) {
    if (!option.is_argument) continue;
    const std::string name =
        fmt::format("\\fI{}\\fR{}", Roff(option.names[0]), option.repeats ? " ..." : "");
    text += option.is_required ? " " + name : " [" + name + "]";
  }
  return text;
}

}  // namespace

std::string ManualPage(const CommandInfo& root, const std::string& version) {
  std::string text = fmt::format(
      ".TH FLARE 1 \"\" \"flare {}\" \"User Commands\"\n.SH NAME\nflare \\- {}\n.SH SYNOPSIS\n"
      ".B flare\n\\fICOMMAND\\fR [OPTIONS] ...\n.SH COMMANDS\n",
      Roff(version), "training neural networks as recognizers of formal languages");
  ForEachCommand(root, [&](const CommandInfo& command) {
    if (&command == &root || !command.subcommands.empty()) return;
    text += fmt::format(".SS {}\n{}.\n.PP\n{}\n", Roff(command.path), Roff(command.summary),
                        Synopsis(command));
    for (const OptionInfo& option : command.options) text += Entry(option);
  });
  return text +
         ".SH EXIT STATUS\n"
         ".TP\n0\ndone\n"
         ".TP\n1\na negative answer: mismatches were found, or a run is not finished\n"
         ".TP\n2\nbad usage or input\n"
         ".TP\n3\nthe machine failed: disk, permissions, memory\n";
}

namespace {

// Quotes a text for the shell: single quotes protect every character but themselves.
std::string SingleQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// Escapes what has a meaning for zsh's _arguments: brackets, colons and backslashes.
std::string ZshEscaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Inside single quotes, fish treats a backslash specially before a quote and before itself.
std::string FishQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

bool TakesDirectory(const OptionInfo& option) {
  return option.value.starts_with("DIR") || option.value == "OUT" || option.value == "RUN";
}

std::vector<std::string> FlagsOf(const CommandInfo& command) {
  std::vector<std::string> flags;
  for (const OptionInfo& option : command.options) {
    if (option.is_argument) continue;
    flags.insert(flags.end(), option.names.begin(), option.names.end());
  }
  return flags;
}

std::vector<std::string> NamesOf(const std::vector<CommandInfo>& commands) {
  std::vector<std::string> names;
  for (const CommandInfo& command : commands) names.push_back(command.name);
  return names;
}

// The words of the arguments of a command, if any of these has some.
std::vector<std::string> ArgumentWords(const CommandInfo& command, const ValueWords& words) {
  std::vector<std::string> all;
  for (const OptionInfo& option : command.options) {
    if (!option.is_argument) continue;
    const auto some = words(option);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

std::string BashCompletion(const CommandInfo& root, const ValueWords& words) {
  std::vector<std::string> paths;
  std::string flags, subcommands, values;
  ForEachCommand(root, [&](const CommandInfo& command) {
    if (&command != &root) paths.push_back(fmt::format("\"{}\"", command.path));
    flags += fmt::format("    \"{}\") flags=\"{}\" ;;\n", command.path,
                         fmt::join(FlagsOf(command), " "));
    std::vector<std::string> first = NamesOf(command.subcommands);
    if (first.empty()) first = ArgumentWords(command, words);
    if (!first.empty()) {
      subcommands +=
          fmt::format("    \"{}\") first=\"{}\" ;;\n", command.path, fmt::join(first, " "));
    }
    for (const OptionInfo& option : command.options) {
      if (option.is_argument || option.value.empty()) continue;
      const auto known = words(option);
      const std::string reply =
          !known.empty()
              ? fmt::format("compgen -W \"{}\" -- \"$word\"", fmt::join(known, " "))
              : fmt::format("compgen -{} -- \"$word\"", TakesDirectory(option) ? "d" : "f");
      for (const std::string& name : option.names) {
        values += fmt::format("    \"{} {}\") mapfile -t COMPREPLY < <({}); return ;;\n",
                              command.path, name, reply);
      }
    }
  });
  return fmt::format(R"(# bash completion for flare: source <(flare completion bash)
_flare() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local path={0} flags="" first="" i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {1}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path $before" in
{2}  esac
  case "$path" in
{3}  esac
  case "$path" in
{4}  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
  elif [[ -n $first ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$first" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -o filenames -F _flare flare
)",
                     root.path, fmt::join(paths, "|"), values, flags, subcommands);
}

std::string ZshCompletion(const CommandInfo& root, const ValueWords& words) {
  std::string text = "#compdef flare\n# zsh completion for flare: a file _flare in $fpath\n";
  const auto function_of = [](const CommandInfo& command) {
    std::string name = "_" + command.path;
    for (char& c : name) {
      if (c == ' ' || c == '-') c = '_';
    }
    return name;
  };
  const auto action_of = [&](const OptionInfo& option) {
    const auto known = words(option);
    if (!known.empty()) return fmt::format("({})", fmt::join(known, " "));
    return std::string(TakesDirectory(option) ? "_files -/" : "_files");
  };
  ForEachCommand(root, [&](const CommandInfo& command) {
    text +=
        fmt::format("\n{}() {{\n  local context state line\n  _arguments -C", function_of(command));
    for (const OptionInfo& option : command.options) {
      const std::string help = ZshEscaped(option.help);
      if (option.is_argument) {
        text +=
            fmt::format(" \\\n    {}",
                        SingleQuoted(fmt::format("{}:{}:{}", option.repeats ? "*" : "",
                                                 ZshEscaped(option.names[0]), action_of(option))));
        continue;
      }
      for (const std::string& name : option.names) {
        const std::string value =
            option.value.empty()
                ? ""
                : fmt::format(":{}:{}", ZshEscaped(option.value), action_of(option));
        text += fmt::format(
            " \\\n    {}",
            SingleQuoted(fmt::format("{}{}[{}]{}", option.repeats ? "*" : "", name, help, value)));
      }
    }
    if (command.subcommands.empty()) {
      text += "\n}\n";
      return;
    }
    text +=
        " \\\n    '1: :->command' \\\n    '*:: :->rest'\n  case $state in\n    command)\n"
        "      local -a commands\n      commands=(\n";
    for (const CommandInfo& sub : command.subcommands) {
      text += fmt::format("        {}\n", SingleQuoted(sub.name + ":" + ZshEscaped(sub.summary)));
    }
    text += "      )\n      _describe command commands ;;\n    rest)\n      case $line[1] in\n";
    for (const CommandInfo& sub : command.subcommands) {
      text += fmt::format("        {}) {} ;;\n", sub.name, function_of(sub));
    }
    text += "      esac ;;\n  esac\n}\n";
  });
  return text + "\n_flare \"$@\"\n";
}

std::string FishCompletion(const CommandInfo& root, const ValueWords& words) {
  std::string text = "# fish completion for flare: flare completion fish | source\n";
  ForEachCommand(root, [&](const CommandInfo& command) {
    // Every word of the path has been seen, and no further command.
    std::string condition;
    const std::string below =
        command.path == root.path ? "" : command.path.substr(root.path.size() + 1);
    for (std::size_t begin = 0; begin < below.size();) {
      const std::size_t end = std::min(below.find(' ', begin), below.size());
      condition += fmt::format("{}__fish_seen_subcommand_from {}",
                               condition.empty() ? "" : "; and ", below.substr(begin, end - begin));
      begin = end + 1;
    }
    if (!command.subcommands.empty()) {
      condition +=
          fmt::format("{}not __fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                      fmt::join(NamesOf(command.subcommands), " "));
    }
    const std::string start = fmt::format("complete -c flare -n {}", FishQuoted(condition));
    for (const CommandInfo& sub : command.subcommands) {
      text += fmt::format("{} -f -a {} -d {}\n", start, sub.name, FishQuoted(sub.summary));
    }
    for (const OptionInfo& option : command.options) {
      const auto known = words(option);
      const std::string list = fmt::format("{}", fmt::join(known, " "));
      if (option.is_argument) {
        if (!known.empty()) text += fmt::format("{} -a {}\n", start, FishQuoted(list));
        continue;
      }
      text += start;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.value.empty()) text += " -r";
      if (!known.empty()) text += fmt::format(" -f -a {}", FishQuoted(list));
      text += fmt::format(" -d {}\n", FishQuoted(option.help));
    }
  });
  return text;
}

}  // namespace flare
