#include "flare/cli/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace flare {
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

}  // namespace flare
