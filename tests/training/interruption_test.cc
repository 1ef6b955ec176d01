// Interrupted anywhere, by anything, and resumed: the finished run is the same to the bit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/rng.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/schedule.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/refusal.h"
#include "support/same_run.h"
#include "support/shell.h"
#include "support/small_dataset.h"

namespace flare {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class Interruption : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { MakeSmallDataset(folder_.path(), "dyck-2-3", 400); }

  std::vector<std::string> Command(const std::string& run) const {
    return {FlareProgram(), "train", "--data", folder_.path() / "dyck-2-3", "--architecture",
            GetParam(), "--loss", "rec+lm+ns+st", "--validation", "long", "--run",
            folder_.path() / run, "--layers", "2", "--hidden", "16", "--max-epochs", "24",
            "--batch-tokens", "300",
            // Checkpoints in the middle of epochs too.
            "--checkpoint-examples", "150", "--stopping-patience", "1000", "--save-interval", "0"};
  }

  TemporaryDirectory folder_;
};

TEST_P(Interruption, AnywhereLeavesTheSameBits) {
  const std::string log = folder_.path() / "log";
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  ASSERT_EQ(TestProcess(Command("whole"), log).Wait(), 0) << ReadFile(log);
  const auto duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);

  // `FLARE_INTERRUPTIONS=50 training_tests` is the long version.
  const char* wanted = std::getenv("FLARE_INTERRUPTIONS");
  const int interruptions = wanted != nullptr ? std::atoi(wanted) : 12;
  Rng rng = Rng::For(11, GetParam());
  const int signals[] = {SIGKILL, SIGKILL, SIGTERM, SIGUSR1, SIGINT};
  int killed = 0, stopped = 0;
  // On a busy machine a signal may come before the program can take it: until each kind has been.
  for (int i = 0; i < interruptions || (i < 100 && (killed == 0 || stopped == 0)); ++i) {
    // A resumed run needs a moment to load; later ones come further.
    TestProcess process(Command("broken"), log);
    const std::uint64_t longer = 10'000ull * static_cast<unsigned>(std::max(0, i - interruptions));
    std::this_thread::sleep_for(std::chrono::microseconds(
        10'000 + longer + rng.UniformInt(static_cast<std::uint64_t>(duration.count()) / 12)));
    const int signal = signals[rng.UniformInt(5)];
    process.Signal(signal);
    const int code = process.Wait();
    if (code == 128 + signal) ++killed;
    if (code == 1) ++stopped;
    ASSERT_TRUE(code == 0 || code == 1 || code == 128 + signal) << code << "\n" << ReadFile(log);
    if (code == 0 && fs::exists(folder_.path() / "broken" / "result.json")) break;
  }
  ASSERT_EQ(TestProcess(Command("broken"), log).Wait(), 0) << ReadFile(log);
  EXPECT_GT(killed, 0);
  EXPECT_GT(stopped, 0);
  EXPECT_EQ(TimelessContents(folder_.path() / "broken"),
            TimelessContents(folder_.path() / "whole"));
  EXPECT_FALSE(fs::exists(folder_.path() / "broken" / "lock"));
}

INSTANTIATE_TEST_SUITE_P(, Interruption,
                         testing::Values("rnn", "lstm", "transformer", "mamba", "deltanet", "mlstm",
                                         "slstm", "stack-lstm"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::erase(name, '-');
                           return name;
                         });

// Other recipes than the paper's: every optimizer, every schedule, every rule that ends training,
// and objectives without recognition.
struct Recipe {
  std::string name;
  std::vector<std::string> flags;
};
void PrintTo(const Recipe& recipe, std::ostream* out) { *out << recipe.name; }

class RecipeInterruption : public testing::TestWithParam<Recipe> {};

TEST_P(RecipeInterruption, AfterAnyStepLeavesTheSameBits) {
  const TemporaryDirectory folder;
  const RunData data = IdentifyData(MakeSmallDataset(folder.path(), "dyck-2-3", 100));
  SettingTexts texts = {{"architecture", "lstm"}, {"validation", "short"}, {"seed", "5"},
                        {"layers", "1"},          {"hidden", "8"},         {"batch_tokens", "300"},
                        {"learning_rate", "0.01"}};
  for (std::size_t i = 0; i < GetParam().flags.size(); i += 2) {
    texts[GetParam().flags[i]] = GetParam().flags[i + 1];
  }
  const RunPlan plan{MakeSettings(texts, data.alphabet.size()), data};
  LockObserver observer;
  const auto whole = OwnedRun::TryOpen(folder.path() / "whole", observer);
  ASSERT_TRUE(ExecuteRun(*whole, plan, {}).finished);
  const auto broken = OwnedRun::TryOpen(folder.path() / "broken", observer);
  std::size_t stops = 0;
  bool finished = false;
  // Some steps at a time: 1, 2, 3, ….
  for (int steps = 1; steps < 500 && !finished; ++steps) {
    RunOptions options;
    int left = steps;
    options.stop = [&] { return left-- == 0 ? "test" : ""; };
    finished = ExecuteRun(*broken, plan, options).finished;
    stops += finished ? 0 : 1;
  }
  ASSERT_TRUE(finished);
  EXPECT_GT(stops, 3u);
  EXPECT_EQ(TimelessContents(folder.path() / "broken"), TimelessContents(folder.path() / "whole"));
}

std::vector<Recipe> Recipes() {
  std::vector<Recipe> recipes;
  const auto add = [&](std::string name, std::vector<std::string> flags) {
    std::erase(name, '-');
    const std::vector<std::string> usual = {
        "loss", "rec", "checkpoint_steps", "3", "stopping_patience", "0", "max_steps", "40"};
    flags.insert(flags.begin(), usual.begin(), usual.end());
    recipes.push_back({std::move(name), std::move(flags)});
  };
  for (const OptimizerInfo& optimizer : OptimizerCatalog()) {
    std::vector<std::string> flags = {"optimizer", optimizer.name};
    for (const std::string& setting : optimizer.settings) {
      if (setting == "momentum") flags.insert(flags.end(), {"momentum", "0.5"});
      if (setting == "weight_decay") flags.insert(flags.end(), {"weight_decay", "0.1"});
    }
    add("optimizer_" + optimizer.name, flags);
  }
  for (const ScheduleInfo& schedule : ScheduleCatalog()) {
    add("schedule_" + schedule.name,
        {"schedule", schedule.name, "warmup_steps", "10", "learning_rate_floor", "0.1"});
  }
  add("stop_at", {"stop_at", "accuracy >= 0.5", "stop_for", "2"});
  add("patience", {"stopping_patience", "2", "select", "accuracy"});
  add("epochs", {"max_steps", "0", "max_epochs", "4"});
  for (const char* loss : {"st", "st_last", "lm", "ns", "lm+ns+st"}) {
    add(std::string("loss_") + (std::string(loss).find('+') != std::string::npos ? "sum" : loss),
        {"loss", loss});
  }
  const char* curriculum = "0:4+7:8+23:12";
  add("fresh", {"train_data", "fresh"});
  add("fresh_epochs", {"train_data", "fresh", "max_steps", "0", "max_epochs", "4"});
  add("fresh_members", {"train_data", "fresh", "loss", "lm+ns"});
  add("fresh_curriculum", {"train_data", "fresh", "loss", "st", "curriculum", curriculum});
  add("curriculum", {"curriculum", curriculum});
  add("readout_eos", {"loss", "rec+st", "readout", "eos"});
  return recipes;
}

INSTANTIATE_TEST_SUITE_P(, RecipeInterruption, testing::ValuesIn(Recipes()),
                         [](const auto& each) { return each.param.name; });

// A run whose loss is not finite, stopped while its best model is evaluated.
TEST(Stopping, ADivergedRunCanBeFinishedLater) {
  const TemporaryDirectory folder;
  const RunData data = IdentifyData(MakeSmallDataset(folder.path(), "parity", 60));
  const RunPlan plan{MakeSettings({{"architecture", "rnn"},
                                   {"loss", "rec"},
                                   {"validation", "short"},
                                   {"layers", "2"},
                                   {"hidden", "32"},
                                   {"learning_rate", "1e38"},
                                   {"batch_tokens", "64"},
                                   {"checkpoint_examples", "1"},
                                   {"max_epochs", "2"}},
                                  data.alphabet.size()),
                     data};
  LockObserver observer;
  const auto run = OwnedRun::TryOpen(folder.path() / "run", observer);
  bool stopped = false;
  for (int asked = 0; asked < 40 && !run->directory().is_finished(); ++asked) {
    RunOptions options;
    int left = asked;
    options.stop = [&] { return left-- == 0 ? "test" : ""; };
    stopped = !ExecuteRun(*run, plan, options).finished || stopped;
  }
  EXPECT_TRUE(stopped);
  ASSERT_TRUE(run->directory().is_finished());
  EXPECT_EQ(run->directory().ReadResult().outcome(), "diverged");
}

// What a sweep had noted about an earlier try.
TEST(Stopping, AFinishedRunHasNoFailureLeft) {
  const TemporaryDirectory folder;
  const RunData data = IdentifyData(MakeSmallDataset(folder.path(), "parity", 10));
  const RunPlan plan{MakeSettings({{"architecture", "rnn"},
                                   {"loss", "rec"},
                                   {"validation", "short"},
                                   {"layers", "1"},
                                   {"hidden", "8"},
                                   {"max_epochs", "1"}},
                                  data.alphabet.size()),
                     data};
  LockObserver observer;
  const auto run = OwnedRun::TryOpen(folder.path() / "run", observer);
  WriteFile(run->directory().failure(), R"({"reason": "killed", "time": ""})");
  ASSERT_TRUE(ExecuteRun(*run, plan, {}).finished);
  EXPECT_FALSE(fs::exists(run->directory().failure()));
  // The last epoch ends with a look at the validation set, however few examples there were.
  EXPECT_TRUE(fs::exists(run->directory().model()));
}

FinishEvent Finish(const std::string& outcome) {
  return {.outcome = outcome, .stop_reason = "", .epochs = 0, .best_epoch = std::nullopt};
}

// Whoever lost the run keeps writing to a log that is no longer read.
TEST(EventLog, AnOldOwnerDoesNotWriteIntoTheNewOnesLog) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() / "events.jsonl";
  EventLog old(path);
  old.Append(Finish("one"));
  EventLog current(path, ReadEvents(path, old.written()));
  old.Append(Finish("stray"));
  current.Append(Finish("two"));
  const std::string text = ReadFile(path);
  EXPECT_THAT(text, Not(HasSubstr("stray")));
  EXPECT_THAT(text, HasSubstr("two"));
  EXPECT_EQ(text.size(), current.written().size);
}

// What was recorded after the checkpoint is recorded again, not twice.
TEST(EventLog, GoesOnFromTheGivenSize) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() / "events.jsonl";
  EventsPrefix kept;
  {
    EventLog log(path);
    log.Append(Finish("one"));
    kept = log.written();
    log.Append(Finish("forgotten: it is longer than what comes instead of it"));
  }
  EventLog(path, ReadEvents(path, kept)).Append(Finish("two"));
  const std::string text = ReadFile(path);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  EXPECT_THAT(text, HasSubstr("two"));
}

// After every single step, in process: no moment is left to chance.
TEST(Stopping, AfterEveryStepLeavesTheSameBits) {
  const TemporaryDirectory folder;
  const RunData data = IdentifyData(MakeSmallDataset(folder.path(), "parity", 60));
  const RunPlan plan{MakeSettings({{"architecture", "gru"},
                                   {"loss", "rec+lm"},
                                   {"validation", "short"},
                                   {"layers", "1"},
                                   {"hidden", "8"},
                                   {"batch_tokens", "64"},
                                   // It learns nothing, so that the schedule acts often.
                                   {"learning_rate", "1"},
                                   {"checkpoint_examples", "10"},
                                   {"learning_rate_patience", "2"},
                                   {"stopping_patience", "15"}},
                                  data.alphabet.size()),
                     data};
  LockObserver observer;
  const auto whole = OwnedRun::TryOpen(folder.path() / "whole", observer);
  ASSERT_TRUE(ExecuteRun(*whole, plan, {}).finished);
  ASSERT_EQ(whole->directory().ReadResult().stop_reason, "no improvement");
  EXPECT_FALSE(fs::exists(whole->directory().checkpoint()));

  std::size_t times = 0;
  while (true) {
    const auto broken = OwnedRun::TryOpen(folder.path() / "broken", observer);
    int asked = 0;
    RunOptions options;
    // In evaluation too, whose batches ask as well.
    options.stop = [&] { return asked++ == (times % 2 == 0 ? 1 : 2) ? "test" : ""; };
    if (times > 60) options.stop = nullptr;
    if (ExecuteRun(*broken, plan, options).finished) break;
    ++times;
  }
  EXPECT_GT(times, 20u);
  EXPECT_EQ(TimelessContents(folder.path() / "broken"), TimelessContents(folder.path() / "whole"));
}

RunPlan SmallPlan(const RunData& data, const std::string& learning_rate) {
  return {MakeSettings({{"architecture", "rnn"},
                        {"loss", "rec"},
                        {"validation", "short"},
                        {"layers", "1"},
                        {"hidden", "8"},
                        {"batch_tokens", "64"},
                        {"seed", "3"},
                        {"max_epochs", "5"},
                        {"learning_rate", learning_rate}},
                       data.alphabet.size()),
          data};
}

void StopAfterSteps(const OwnedRun& run, const RunPlan& plan, int steps) {
  RunOptions options;
  options.stop = [&] { return steps-- == 0 ? "test" : ""; };
  ASSERT_FALSE(ExecuteRun(run, plan, options).finished);
}

// In a paired grid two runs have the same seed and shapes.
TEST(Resuming, CheckpointOfAnotherRunIsRefused) {
  const TemporaryDirectory folder;
  const RunData data = IdentifyData(MakeSmallDataset(folder.path(), "parity", 60));
  const RunPlan slow = SmallPlan(data, "0.0005"), fast = SmallPlan(data, "0.01");
  LockObserver observer;
  const auto a = OwnedRun::TryOpen(folder.path() / "slow", observer);
  const auto b = OwnedRun::TryOpen(folder.path() / "fast", observer);
  StopAfterSteps(*a, slow, 4);
  StopAfterSteps(*b, fast, 4);
  for (const char* file : {"checkpoint.safetensors", "events.jsonl"}) {
    fs::copy(folder.path() / "fast" / file, folder.path() / "slow" / file,
             fs::copy_options::overwrite_existing);
  }
  EXPECT_THAT(RefusalOf([&] { ExecuteRun(*a, slow, {}); }),
              testing::HasSubstr("checkpoint.safetensors: belongs to a different run: its "
                                 "learning_rate is 0.01, not 0.0005"));
  EXPECT_TRUE(ExecuteRun(*b, fast, {}).finished);
}

TEST(Resuming, RunWithoutCheckpointStartsOverToTheSameBits) {
  const TemporaryDirectory folder;
  const RunData data = IdentifyData(MakeSmallDataset(folder.path(), "parity", 60));
  const RunPlan plan = SmallPlan(data, "0.01");
  LockObserver observer;
  const auto whole = OwnedRun::TryOpen(folder.path() / "whole", observer);
  ASSERT_TRUE(ExecuteRun(*whole, plan, {}).finished);
  const auto broken = OwnedRun::TryOpen(folder.path() / "broken", observer);
  StopAfterSteps(*broken, plan, 4);
  fs::remove(broken->directory().checkpoint());
  ASSERT_TRUE(ExecuteRun(*broken, plan, {}).finished);
  EXPECT_EQ(TimelessContents(folder.path() / "broken"), TimelessContents(folder.path() / "whole"));
}

}  // namespace
}  // namespace flare
