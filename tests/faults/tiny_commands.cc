#include "faults/tiny_commands.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "flare/base/file.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// In memory, if that is possible: nothing here depends on what a disk does, and syncing takes long.
fs::path Parent() {
  const fs::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
}

constexpr const char* kGrid = R"(
languages = ["parity"]
architectures = ["rnn"]
losses = ["rec"]
validations = ["short"]
budgets = [100]
trials = 1
[settings]
layers = 1
max_epochs = 1
[data]
splits.train.size = 20
splits.train.max_length = 6
splits.validation-short.size = 8
splits.validation-short.max_length = 6
splits.validation-long.size = 0
splits.test.size = 8
splits.test.max_length = 8
splits.test-short-held-out.size = 0
splits.test-edit-distance.size = 0
)";

const std::vector<std::string> kTrain = {
    "train", "--data",       "data/parity", "--architecture", "rnn", "--loss",
    "rec",   "--run",        "work/run",    "--layers",       "1",   "--hidden",
    "4",     "--validation", "short",       "--max-epochs",   "1"};

}  // namespace

TinyCommand::TinyCommand(const std::string& name)
    : scratch_(Parent()),
      folder_(fs::canonical(scratch_.path()) / "folder"),
      injector_(folder_, scratch_.path()) {
  fs::create_directories(work());
  WriteFile(folder_ / "grid.toml", kGrid);
  const std::vector<std::string> plan = {"sweep", "plan",  "grid.toml", "--data", "data",
                                         "--out", "sweep", "--jobs",    "1"};
  Succeed(plan);
  const std::string grid = kGrid;
  WriteFile(folder_ / "splits.toml", grid.substr(grid.find("splits.")));
  if (name == "generate") {
    arguments_ = {"generate", "--out", "work/data", "--config", "splits.toml", "parity"};
  } else if (name == "train") {
    arguments_ = kTrain;
  } else if (name == "sweep") {
    arguments_ = {"sweep", "run",      "grid.toml", "--data", "work/data",
                  "--out", "work/out", "--jobs",    "1"};
  } else if (name == "report") {
    arguments_ = {"report", "sweep", "--to", "work/report"};
    Succeed(arguments_);
    fs::rename(work(), folder_ / "before");
    Succeed({"sweep", "work", "sweep"});
  } else if (name == "evaluate") {
    arguments_ = {"evaluate", "run", "--to", "work/evaluation"};
    Succeed(kTrain);
    fs::rename(work() / "run", folder_ / "run");
    Succeed(arguments_);
    // As an earlier evaluation might have left them.
    for (const auto& entry : fs::directory_iterator(work() / "evaluation")) {
      const std::string split = entry.path().stem().string();
      if (split == "evaluation") continue;
      WriteFile(entry.path(), entry.path().extension() == ".json"
                                  ? fmt::format("{{\"split\":\"{}\"}}\n", split)
                                  : "old\n");
    }
    fs::rename(work(), folder_ / "before");
  }
}

void TinyCommand::Prepare() const {
  fs::remove_all(work());
  fs::create_directory(work());
  if (fs::exists(folder_ / "before")) {
    fs::copy(folder_ / "before", work(), fs::copy_options::recursive);
  }
}

void TinyCommand::Succeed(const std::vector<std::string>& arguments) const {
  const ProgramResult result = injector_.Run(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

}  // namespace flare
