// A run is read as what its place says, or not at all.

#include "flare/runs/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/runs/records.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/run_settings.h"
#include "support/fake_sweep.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

struct Placed {
  explicit Placed(const FakeGrid& grid = FakeGrid()) : fake(directory.path() / "out", grid) {}

  Run Read(const FakeRun& run) const { return ReadRunAt(ReadSweep(fake.directory()), run.at()); }

  TemporaryDirectory directory;
  FakeSweep fake;
};

bool Says(const flare::Run& run, const std::string& text) {
  return run.fault.find(text) != std::string::npos;
}

TEST(Run, IsReadWithItsSettingsAndItsResult) {
  for (const char* variant : {"rnn", "lstm,layers=2", "transformer", "rnn,hidden=16"}) {
    Placed placed(FakeGrid{.variants = {variant}});
    for (const char* loss : {"rec", "rec+lm+ns"}) {
      for (const char* validation : {"short", "long"}) {
        const FakeRun fake{.variant = variant, .loss = loss, .validation = validation};
        placed.fake.Add(fake);
        const flare::Run run = placed.Read(fake);
        EXPECT_EQ(run.state, RunState::kFinished) << run.fault;
        EXPECT_TRUE(run.config && run.result);
      }
    }
  }
}

TEST(Run, CopyOfAnotherRunIsRefused) {
  Placed placed;
  const FakeRun first, second{.trial = 2}, other{.variant = "lstm"}, other_loss{.loss = "rec+lm"};
  placed.fake.Add(first);
  for (const FakeRun& place : {second, other, other_loss}) {
    fs::create_directories(placed.fake.RunPath(place).parent_path());
    fs::copy(placed.fake.RunPath(first), placed.fake.RunPath(place), fs::copy_options::recursive);
    const flare::Run run = placed.Read(place);
    EXPECT_EQ(run.state, RunState::kDamaged);
    EXPECT_TRUE(Says(run, "is a different run: its ")) << run.fault;
    EXPECT_FALSE(run.result);
  }
  EXPECT_TRUE(Says(placed.Read(second), "seed is ")) << placed.Read(second).fault;
  EXPECT_TRUE(Says(placed.Read(other), "architecture is \"rnn\", not \"lstm\""));
}

TEST(Run, OtherDataThanPlannedMakesAnotherRun) {
  Placed placed(FakeGrid{.data_sha256 = {{"parity", FakeDataSha256("parity")}}});
  const FakeRun same, other{.trial = 2, .data = "other labels"};
  placed.fake.Add(same);
  placed.fake.Add(other);
  EXPECT_EQ(placed.Read(same).state, RunState::kFinished);
  EXPECT_EQ(placed.Read(other).state, RunState::kDamaged);
  EXPECT_TRUE(Says(placed.Read(other), "its data has SHA-256")) << placed.Read(other).fault;
}

// Whether the grid gives a setting or lets the run draw it from its seed.
TEST(Run, OtherSettingsMakeAnotherRun) {
  const FakeRun fake{.loss = "rec+lm"};
  for (const char* key : {"learning_rate", "batch_tokens", "lm_coefficient"}) {
    Placed giving(FakeGrid{.settings = {{key, "1"}}}), drawing;
    for (const auto& [from, to] : {std::pair(&giving, &drawing), {&drawing, &giving}}) {
      from->fake.Add(fake);
      EXPECT_EQ(from->Read(fake).state, RunState::kFinished) << from->Read(fake).fault;
      fs::remove_all(to->fake.RunPath(fake));
      fs::create_directories(to->fake.RunPath(fake).parent_path());
      fs::copy(from->fake.RunPath(fake), to->fake.RunPath(fake), fs::copy_options::recursive);
      EXPECT_TRUE(Says(to->Read(fake), std::string("is a different run: its ") + key))
          << to->Read(fake).fault;
      fs::remove_all(to->fake.RunPath(fake));
    }
  }
}

TEST(Run, ResultOfAnotherRunIsDamage) {
  Placed placed;
  const FakeRun first, second{.trial = 2};
  placed.fake.Add(first);
  placed.fake.Add(second);
  fs::copy(placed.fake.RunPath(first) / "result.json", placed.fake.RunPath(second) / "result.json",
           fs::copy_options::overwrite_existing);
  EXPECT_EQ(placed.Read(first).state, RunState::kFinished);
  EXPECT_EQ(placed.Read(second).state, RunState::kDamaged);
  EXPECT_TRUE(Says(placed.Read(second), "is not the file that result.json lists"))
      << placed.Read(second).fault;
}

// As status reads it.
TEST(Run, OfWhichTheResultAloneIsReadNeedsAWholeResult) {
  Placed placed;
  const FakeRun fake{.trial = 1}, other{.trial = 2};
  placed.fake.Add(fake);
  const Sweep sweep = ReadSweep(placed.fake.directory());
  const auto state_of = [&](const FakeRun& run, RunReading reading) {
    return PlannedRun(sweep, run.at()).Read(reading).state;
  };
  const flare::Run read = PlannedRun(sweep, fake.at()).Read(RunReading::kResultAlone);
  EXPECT_EQ(read.state, RunState::kFinished) << read.fault;
  EXPECT_TRUE(read.result && !read.config);

  const RunDirectory directory(placed.fake.RunPath(fake));
  fs::create_directories(placed.fake.RunPath(other));
  fs::copy_file(directory.config(), RunDirectory(placed.fake.RunPath(other)).config());
  EXPECT_EQ(state_of(other, RunReading::kResultAlone), RunState::kDamaged);  // not finished

  WriteFile(directory.config(), "{}");
  EXPECT_EQ(state_of(fake, RunReading::kResultAlone), RunState::kFinished);
  EXPECT_EQ(state_of(fake, RunReading::kVerified), RunState::kDamaged);

  std::string text = ReadFile(directory.result());
  text.replace(text.find("\"epochs\": 20"), 12, "\"epochs\": 21");
  WriteFile(directory.result(), text);
  EXPECT_EQ(state_of(fake, RunReading::kResultAlone), RunState::kDamaged);
}

// A grid that gives the name to a different program means different runs.
TEST(Run, AnotherProgramMakesAnotherRun) {
  Placed placed;
  Sweep sweep = ReadSweep(placed.fake.directory());
  sweep.grid.externals = {{.name = "cnn", .command = {"python3", "a.py"}, .options = {}}};
  sweep.grid.variants = {{.architecture = "cnn", .settings = {}, .label = ""}};
  const Coordinates at{"parity", "cnn", "rec", "short", 64'000, 1};
  RunConfig config{
      ParseSettings(sweep.grid.SettingsOf(at), sweep.grid.places, sweep.grid.externals),
      {},
      sweep.grid.externals[0]};
  config.settings.validation = ValidationSplit(config.settings.validation);
  DrawMissing({}, config.settings);
  EXPECT_EQ(PlannedRun(sweep, at).DifferenceFrom(config), "");
  config.external->command[1] = "b.py";
  EXPECT_THAT(PlannedRun(sweep, at).DifferenceFrom(config), HasSubstr("command"));
}

// Only then may a collection skip the comparison with its own grid.
TEST(PlanTheSameRun, IsTrueOnlyIfSettingsProgramAndDataAgree) {
  const Placed placed(FakeGrid{.variants = {"rnn", "lstm"}, .data_sha256 = {{"parity", "1"}}});
  const Coordinates at = FakeRun{}.at();
  const Sweep sweep = ReadSweep(placed.fake.directory());
  EXPECT_TRUE(PlanTheSameRun(sweep, sweep, at));
  const auto agrees = [&](auto change) {
    Sweep other = sweep;
    change(other);
    return PlanTheSameRun(sweep, other, at);
  };
  EXPECT_TRUE(agrees([](Sweep& other) { other.grid.trials = 7; }));
  EXPECT_TRUE(agrees([](Sweep& other) { other.data_sha256.clear(); }));
  EXPECT_FALSE(agrees([](Sweep& other) { other.data_sha256["parity"] = "2"; }));
  EXPECT_FALSE(agrees([](Sweep& other) { other.grid.seed = 1; }));
  EXPECT_FALSE(agrees([](Sweep& other) { other.grid.settings["learning_rate"] = "1"; }));
  Sweep silent = sweep;
  silent.data_sha256.clear();
  EXPECT_FALSE(PlanTheSameRun(silent, sweep, at));
  const auto with_program = [&](const std::string& file) {
    Sweep other = sweep;
    other.grid.externals = {{.name = "cnn", .command = {"python3", file}, .options = {}}};
    other.grid.variants = {{.architecture = "cnn", .settings = {}, .label = ""}};
    return other;
  };
  const Coordinates of_program{"parity", "cnn", "rec", "short", 64'000, 1};
  EXPECT_TRUE(PlanTheSameRun(with_program("a.py"), with_program("a.py"), of_program));
  EXPECT_FALSE(PlanTheSameRun(with_program("a.py"), with_program("b.py"), of_program));
}

TEST(Run, DamagedFilesAreReported) {
  Placed placed;
  const FakeRun fake;
  for (const char* file : {"config.json", "result.json"}) {
    for (const char* text : {"", "{}", "[1", "{\"outcome\": \"finished\""}) {
      placed.fake.Add(fake);
      WriteFile(placed.fake.RunPath(fake) / file, text);
      const flare::Run run = placed.Read(fake);
      EXPECT_EQ(run.state, RunState::kDamaged) << file << ": " << text;
      EXPECT_TRUE(Says(run, file)) << run.fault;
    }
  }
  placed.fake.Add(fake);
  fs::remove(placed.fake.RunPath(fake) / "config.json");
  EXPECT_EQ(placed.Read(fake).state, RunState::kDamaged);
}

// Two workers that try failed runs again look at them at the same time: what one has removed is not
// damage to the other.
TEST(Run, FailureRemovedMeanwhileIsNoDamage) {
  Placed placed;
  const FakeRun fake;
  placed.fake.AddFailure(fake, "out of memory");
  const Sweep sweep = ReadSweep(placed.fake.directory());
  const fs::path failure = placed.fake.RunPath(fake) / "failure.json";
  const std::string text = ReadFile(failure);
  constexpr int kRounds = 200;
  std::atomic<int> begun = 0, removed = 0;
  std::thread other([&] {
    for (int i = 1; i <= kRounds; ++i) {
      while (begun < i) std::this_thread::yield();
      for (int wait = 0; wait < i % 10; ++wait) std::this_thread::yield();
      fs::remove(failure);
      removed = i;
    }
  });
  std::string damage;
  for (int i = 1; i <= kRounds; ++i) {
    WriteFile(failure, text);
    begun = i;
    // Once more when it is gone for certain.
    for (bool last = false; !last;) {
      last = removed == i;
      const flare::Run run = ReadRunAt(sweep, fake.at());
      if (run.state == RunState::kDamaged) damage = run.fault;
      if (last) EXPECT_EQ(run.state, RunState::kLeft);
    }
  }
  other.join();
  EXPECT_EQ(damage, "");
}

TEST(Run, UnreadableRunSaysSo) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  Placed placed;
  const FakeRun fake;
  placed.fake.Add(fake);
  fs::permissions(placed.fake.RunPath(fake), fs::perms::none);
  const flare::Run run = placed.Read(fake);
  fs::permissions(placed.fake.RunPath(fake), fs::perms::owner_all);
  EXPECT_EQ(run.state, RunState::kDamaged);
  EXPECT_TRUE(Says(run, "Permission denied")) << run.fault;
}

TEST(Run, ForeignDirectoryIsADamagedRun) {
  Placed placed;
  const FakeRun fake;
  fs::create_directories(placed.fake.RunPath(fake));
  WriteFile(placed.fake.RunPath(fake) / "thesis.txt", "text");
  EXPECT_EQ(placed.Read(fake).state, RunState::kDamaged);
  EXPECT_EQ(placed.Read({.trial = 2}).state, RunState::kLeft);
}

// Changes a file as its owner may: without its check, it is taken as it is.
void SetFormat(const fs::path& file, const Json& format) {
  Json json = Json::parse(ReadFile(file));
  json.erase(kCheckMember);
  json[kFormatMember] = format;
  WriteFile(file, JsonText(json));
}

TEST(Run, NewerFormatIsRefusedByName) {
  Placed placed;
  const FakeRun fake;
  placed.fake.Add(fake);
  const RunDirectory directory(placed.fake.RunPath(fake));
  for (const fs::path& file : {directory.config(), directory.result()}) {
    const std::string whole = ReadFile(file);
    for (const Json& format : {Json(2), Json("new"), Json(0)}) {
      SetFormat(file, format);
      const flare::Run run = placed.Read(fake);
      EXPECT_EQ(run.state, RunState::kDamaged);
      EXPECT_TRUE(Says(run, file.string() + ": its format is ")) << run.fault;
      EXPECT_EQ(Says(run, "a newer version of flare wrote it"), format == 2) << run.fault;
    }
    WriteFile(file, whole);
  }
  const fs::path sweep = SweepFile(placed.fake.directory());
  SetFormat(sweep, 3);
  EXPECT_THROW(placed.Read(fake), InputError);
}

}  // namespace
}  // namespace flare
