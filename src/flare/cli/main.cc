// flare: parses the command line, runs one command, and turns what it throws into a message on
// stderr and an exit code.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "flare/cli/command.h"
#include "flare/cli/terminal.h"
#include "flare/runs/run_settings.h"

namespace flare {
namespace {

struct CommandEntry {
  std::string name;
  std::string summary;
  Command* add;
};

const std::vector<CommandEntry>& Commands() {
  static const std::vector<CommandEntry> commands = {
      {"languages", "List the built-in languages", LanguagesCommand},
      {"show", "Show a language and, if it is regular, its automaton", ShowCommand},
      {"classify", "Where a regular language stands, and what theory predicts", ClassifyCommand},
      {"sample", "Draw strings from a language, or from outside it", SampleCommand},
      {"recognize", "Say for each string whether it belongs to a language", RecognizeCommand},
      {"edit-distance", "The least number of edits that make each string a member",
       EditDistanceCommand},
      {"generate", "Make datasets in the FLaRe layout", GenerateCommand},
      {"verify", "Recompute everything that datasets claim", VerifyCommand},
      {"baselines", "How far trivial recognizers get on datasets", BaselinesCommand},
      {"train", "Train a recognizer, or continue training it", TrainCommand},
      {"evaluate", "Measure a trained recognizer", EvaluateCommand},
      {"predict", "The probability that a trained recognizer accepts each string", PredictCommand},
      {"states", "The hidden vectors of a trained recognizer along strings, for NumPy",
       StatesCommand},
      {"extract", "The automaton that a trained recognizer has learned", ExtractCommand},
      {"score", "Measure what another program says about every string", ScoreCommand},
      {"sweep", "Train a whole grid of recognizers", SweepCommand},
      {"papers", "The experiments that are part of the program", PapersCommand},
      {"report", "Tables, figures and a page about sweeps or runs", ReportCommand},
      {"plot", "Learning curves and accuracy by length of runs", PlotCommand},
      {"tour", "A language, data, a network and what it learned, step by step", TourCommand},
      {"doctor", "Whether this machine has what is needed", DoctorCommand},
      {"completion", "What a shell reads to complete these commands", CompletionCommand},
      {"man", "The manual page", ManCommand},
  };
  return commands;
}

void Complain(const std::string& message, const std::string& hint = "") {
  std::fflush(stdout);
  Tell("flare: {}\n", message);
  if (!hint.empty()) Tell("{}\n", hint);
}

// Help as CLI11 2.3 prints it: from 2.4 on, the default in "--seed N=0" would be "N [0]".
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    const std::string value = option->get_default_str();
    const std::string bracketed = fmt::format(" [{}] ", value);
    const std::size_t at = text.find(bracketed);
    if (!value.empty() && at != std::string::npos) {
      text.replace(at, bracketed.size(), "=" + value);
    }
    return text;
  }
};

// For a misspelt command, CLI11 would say only that an argument was not expected.
void CheckCommand(const std::string& name) {
  std::vector<std::string> names;
  for (const CommandEntry& command : Commands()) names.push_back(command.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const auto nearest = Nearest(name, names);
  throw InputError(
      "", fmt::format("unknown command {}", Quoted(name)),
      nearest ? fmt::format("did you mean 'flare {}'?", *nearest) : "try 'flare --help'");
}

constexpr const char* kTryHelp = "try 'flare --help' or 'flare COMMAND --help'";

// The innermost command that the words so far name: of `flare sweep run`, run.
const CLI::App& InnermostCommand(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return *command;
}

// The hint prefers a name that other programs use for a setting to one that is spelt alike.
InputError UnknownOption(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  std::string name = word.substr(0, word.find('='));
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  std::string key = name;
  std::replace(key.begin(), key.end(), '-', '_');
  std::string hint = kTryHelp;
  const auto meant = SettingCalled(key);
  if (meant && command.get_option_no_throw(FlagOf(meant->key)) != nullptr) {
    hint = fmt::format("did you mean {}?{}", FlagOf(meant->key), meant->note);
  } else if (const auto nearest = Nearest(name, names)) {
    hint = fmt::format("did you mean --{}?", *nearest);
  }
  return InputError("", fmt::format("unknown option {}", Quoted(word)), hint);
}

InputError UnknownSubcommand(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands({})) names.push_back(sub->get_name());
  const auto nearest = Nearest(word, names);
  return InputError("", fmt::format("unknown command {}", Quoted(command.get_name() + " " + word)),
                    nearest
                        ? fmt::format("did you mean 'flare {} {}'?", command.get_name(), *nearest)
                        : fmt::format("try 'flare {} --help'", command.get_name()));
}

// CLI11 itself lists all that it does not know from the last to the first, and a value after an
// unknown option with it.
InputError NotExpected(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> unknown = app.remaining(true);
  const auto is_unknown = [&](const std::string& word) {
    return std::find(unknown.begin(), unknown.end(), word) != unknown.end();
  };
  for (const std::string& word : words) {
    if (word.starts_with('-') && is_unknown(word))
      return UnknownOption(InnermostCommand(app), word);
  }
  const auto first = std::find_if(words.begin(), words.end(), is_unknown);
  const CLI::App& command = InnermostCommand(app);
  if (command.get_require_subcommand_min() > 0) return UnknownSubcommand(command, *first);
  return InputError("", fmt::format("unexpected argument {}", Quoted(*first)), kTryHelp);
}

// Names all missing options at once; CLI11 itself names the first.
std::string MissingOptions(const CLI::App& app) {
  std::vector<std::string> missing;
  for (const CLI::Option* option : InnermostCommand(app).get_options()) {
    if (option->get_required() && option->count() == 0) missing.push_back(option->get_name());
  }
  if (missing.size() < 2) return "";
  return fmt::format("{} are required", Listed(missing, "and"));
}

// Catches empty paths, e.g. from an unset shell variable: --out "$DIR".
void CheckNamesOfFiles(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string type = option->get_type_name();
    if (type != "DIR" && type != "FILE" && type != "OUT") continue;
    for (const std::string& value : option->results()) {
      if (value.empty()) throw InputError(option->get_name(), "the name is empty");
    }
  }
}

// The first steps, shown if no command is given.
constexpr const char* kFirstSteps =
    R"(flare trains neural networks to recognize formal languages, and measures how far they get.

  flare tour                       a language of your own, data, a network, and what it learned:
                                   a few seconds, in a temporary folder
  flare languages                  the languages that are built in
  flare show 'regex:(0|10)*1?'     a language of your own: its automaton, its classes
  flare --help                     all commands; flare COMMAND --help, the options of one

The tutorial is docs/tutorial/README.md of the source.
)";

int Main(int argc, char** argv) {
  if (argc == 1) {
    Print(kFirstSteps);
    return kBadInput;  // scripts that lost their command should notice
  }
  CLI::App app("Can this neural architecture learn to recognize this formal language?", "flare");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", std::string("flare ") + Version());
  app.require_subcommand(1);
  std::function<int()> chosen;
  for (const CommandEntry& command : Commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->callback([&chosen, run = command.add(*sub)] { chosen = run; });
  }
  std::vector<std::string> words(argv + 1, argv + argc);
  // `help train` is `train --help`.
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (!words.empty() && !words[0].starts_with('-')) CheckCommand(words[0]);
  // CLI11 would miss a command.
  if (!words.empty() && words[0].starts_with('-') && app.get_option_no_throw(words[0]) == nullptr) {
    throw UnknownOption(app, words[0]);
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 wants them
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      const int code = app.exit(error, text);
      Print(text.str());
      return code;
    }
    const bool is_required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    // A required option may be missing because it is misspelt.
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
        (is_required && app.remaining_size(true) > 0)) {
      throw NotExpected(app, words);
    }
    const std::string missing = MissingOptions(app);
    throw InputError("", is_required && !missing.empty() ? missing : error.what(), kTryHelp);
  }
  CheckNamesOfFiles(InnermostCommand(app));
  return chosen();
}

// If we are started without a standard input, output or error, the next file that is opened would
// take its place, and be written into. What is opened here instead refuses to be read or written.
void OpenStandardFiles() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The system gives out the lowest free descriptor, which is this one.
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
      std::_Exit(kMachine);
    }
  }
}

// The deepest recursion, and every thread, takes less. Below it, the kernel would kill us silently.
void CheckStack() {
  constexpr rlim_t kLeast = 4 << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeast) return;
  std::fputs("flare: the stack limit (ulimit -s) is below 4096 kB\n", stderr);
  std::_Exit(kMachine);
}

[[noreturn]] void EndWithoutMemory() {
  std::fputs("flare: out of memory\n", stderr);
  std::_Exit(kMachine);
}

// Some destructors of libraries, and libstdc++'s walks through directories, ask for memory where
// nobody can catch what is thrown. What is on the disk is whole at every moment, so that ending
// there does no harm. Whatever ends the program later, memory had run short.
[[noreturn]] void RefuseMemory() {
  std::set_terminate(EndWithoutMemory);
  throw std::bad_alloc();
}

}  // namespace
}  // namespace flare

int main(int argc, char** argv) {
  // A file that may not grow is an error of write, to be reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_new_handler(flare::RefuseMemory);
  flare::OpenStandardFiles();
  flare::CheckStack();
  try {
    return flare::Main(argc, argv);
  } catch (const flare::InputError& error) {
    flare::Complain(error.what(), error.hint());
    return flare::kBadInput;
  } catch (const flare::IoError& error) {
    flare::Complain(error.what());
    return flare::kMachine;
  } catch (const flare::CheckError& error) {
    std::fflush(stdout);
    flare::Tell("{}\n", error.what());
    std::abort();
  } catch (const std::bad_alloc&) {
    // Report it without allocating.
    std::fflush(stdout);
    std::fputs("flare: out of memory\n", stderr);
    return flare::kMachine;
  } catch (const std::filesystem::filesystem_error& error) {
    flare::Complain(fmt::format("{}: {}", error.path1().string(), error.code().message()));
    return flare::kMachine;
  } catch (const std::system_error& error) {
    // In the standard library, only the creation of threads throws this.
    flare::Complain(fmt::format("cannot start a thread: {}", error.code().message()));
    return flare::kMachine;
  } catch (const std::exception& error) {
    flare::Complain(fmt::format("unexpected: {}", error.what()));
    return flare::kMachine;
  }
}
