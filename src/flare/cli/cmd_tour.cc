// flare tour: the example of README.md, step by step, in a folder of its own.

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "flare/base/error.h"
#include "flare/base/long_work.h"
#include "flare/base/process.h"
#include "flare/base/system.h"
#include "flare/base/text.h"
#include "flare/cli/command.h"
#include "flare/cli/terminal.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

struct Step {
  const char* explanation;
  const char* command;
};

// The commands are those of README.md, which tests/cli compares. What is printed fits in 80
// columns.
constexpr Step kSteps[] = {
    {"# A language of your own, as a pattern: binary strings without two 1s in a row.\n"
     "# FLaRe++ finds its minimal automaton, and where it stands among the regular\n"
     "# languages.\n",
     "flare show 'regex:(0|10)*1?'"},
    {"# Data: strings of lengths up to 40 to train on, and test strings up to length\n"
     "# 500, half of them members, in bins of lengths. Members are drawn exactly; near\n"
     "# misses are among the others.\n",
     "flare generate 'regex:(0|10)*1?' --name no-11 --out data \\\n"
     "    --set splits.train.size=2000 --set splits.test.size=500 \\\n"
     "    --set 'splits.test.bins=[40, 100, 250, 500]'"},
    {"# A network: an LSTM reads each string once and says whether it is a member. The\n"
     "# table is its accuracy, bin by bin: lengths above 40 were never seen in\n"
     "# training.\n",
     "flare train --data data/no-11 --run run --architecture lstm --loss rec \\\n"
     "    --validation short --hidden 16 --layers 1 --learning-rate 0.01 \\\n"
     "    --max-epochs 20 --seed 1"},
    {"# What did it learn? The automaton behind the network's answers, compared with\n"
     "# the language at all lengths.\n",
     "flare extract run"},
};

// A temporary folder that goes with all that is in it, or one that the user named and keeps.
class Folder {
 public:
  explicit Folder(const std::string& named) : is_ours_(named.empty()), path_(named) {
    if (is_ours_) {
      std::string place = (fs::temp_directory_path() / "flare-tour-XXXXXX").string();
      if (::mkdtemp(place.data()) == nullptr) throw IoError(place, "create", errno);
      path_ = place;
      return;
    }
    if (fs::exists(path_) && !fs::is_empty(path_)) {
      throw InputError(named, "is not empty", "name a new or empty folder");
    }
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code unimportant;
    if (is_ours_) fs::remove_all(path_, unimportant);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  const bool is_ours_;
  fs::path path_;
};

int Tour(const std::string& named) {
  const Folder folder(named);
  const fs::path program = ProgramFile();
  const StopSignals signals;  // signals end the current command, and the folder is still removed
  for (const Step& step : kSteps) {
    Print(fmt::format("\n{}$ {}\n", step.explanation, step.command));
    std::fflush(stdout);
    // `flare` is this program, whatever its file is called.
    const std::string script =
        fmt::format("flare() {{ {} \"$@\"; }}; cd {} && {}", ShellQuoted(program.string()),
                    ShellQuoted(folder.path().string()), step.command);
    Process shell({"sh", "-c", script}, {});
    if (const int code = shell.Wait(); code != 0) {
      Tell("flare: the tour ends here: the command ended with exit code {}\n", code);
      return kNegativeAnswer;
    }
  }
  Print(
      "\n# That was all. With your own pattern in the first two commands it is your own\n"
      "# experiment; flare COMMAND --help has the options, docs/tutorial/README.md goes on\n"
      "# from here.\n");
  if (named.empty()) Print("# Its files are removed now; flare tour DIR keeps them.\n");
  return kDone;
}

}  // namespace

std::function<int()> TourCommand(CLI::App& app) {
  const auto folder = std::make_shared<std::string>();
  app.add_option("DIR", *folder, "a new folder to do it in, which stays")
      ->type_name("DIR")
      ->default_str("a temporary one");
  app.footer("It takes a few seconds of one core and runs the commands that it shows.");
  return [folder] { return Tour(*folder); };
}

}  // namespace flare
