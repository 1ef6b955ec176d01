// A wrong bit in the files of a run is noticed.

#include "support/integrity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/events.h"
#include "flare/runs/run.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/version_0_2.h"
#include "support/fake_sweep.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/version02.h"

namespace flare {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string Events(const fs::path& file) {
  EventLog log(file);
  log.Append(
      StartEvent{.parameters = 9, .all_parameters = 9, .examples = 100, .steps_per_epoch = 3});
  for (std::size_t epoch = 1; epoch <= 3; ++epoch) {
    log.Append(EpochEvent{.epoch = epoch,
                          .examples = 100,
                          .steps = 3,
                          .seconds = 1.5,
                          .examples_per_second = 66,
                          .loss = 0.5,
                          .recognition_loss = 0.5,
                          .term_losses = {}});
    log.Append(CheckpointEvent{.epoch = epoch,
                               .examples = 100 * epoch,
                               .learning_rate = 0.001,
                               .is_best = true,
                               .cross_entropy = 0.25,
                               .accuracy = 0.875});
  }
  return ReadFile(file);
}

TEST(Integrity, AWrongBitInConfigAndResultIsNoticed) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.trials = 1});
  const FakeRun run;
  fake.Add(run);
  const Sweep sweep = ReadSweep(fake.directory());
  for (const char* name : {"config.json", "result.json"}) {
    const fs::path file = fake.RunPath(run) / name;
    const std::string text = ReadFile(file);
    std::size_t unnoticed = 0;
    ForEachFlip(text, [&](const std::string& flipped, std::size_t bit) {
      WriteFile(file, flipped);
      if (ReadRunAt(sweep, run.at()).state == RunState::kDamaged) return;
      ++unnoticed;
      ADD_FAILURE() << name << ": bit " << bit % 8 << " of byte " << bit / 8;
    });
    EXPECT_EQ(unnoticed, 0u) << name;
    WriteFile(file, text);
    EXPECT_EQ(ReadRunAt(sweep, run.at()).state, RunState::kFinished);
  }
}

TEST(Integrity, AWrongBitInTheSweepIsNoticed) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.trials = 1});
  fake.Add(FakeRun{});
  const Sweep sweep = ReadSweep(fake.directory());
  const fs::path file = SweepFile(fake.directory());
  const std::string text = ReadFile(file);
  const auto refusal = [&] { return RefusalOf([&] { ReadSweep(fake.directory()); }); };
  ForEachFlip(text, [&](const std::string& flipped, std::size_t bit) {
    WriteFile(file, flipped);
    EXPECT_NE(refusal(), "") << "bit " << bit % 8 << " of byte " << bit / 8;
  });
  // With fewer or more runs than it says, also if the check is gone.
  for (const std::size_t runs : {sweep.grid.Runs().size() - 1, sweep.grid.Runs().size() + 1}) {
    Json changed = SweepToJson(sweep);
    changed["runs"] = runs;
    WriteFile(file, JsonText(changed));
    EXPECT_THAT(refusal(), HasSubstr("its grid has"));
  }
  // Somebody who means it takes the check out.
  WriteFile(file, JsonText(SweepToJson(sweep)));
  EXPECT_EQ(refusal(), "");
}

// Version 0.2 listed 16 digits of each hash.
TEST(Integrity, WrongBitInAListedFileIsNoticed) {
  const std::string text = R"({"logit":1.5,"label":1,"length":3,"cross_entropy":0.25})"
                           "\n";
  for (const std::size_t digits : {std::size_t{64}, std::size_t{16}}) {
    const TemporaryDirectory directory;
    const RunDirectory run(directory.path());
    fs::create_directory(run.evaluation());
    RunResult result;
    result.files["eval/test.jsonl"] = Sha256(text).substr(0, digits);
    const auto refusal = [&] {
      return RefusalOf([&] { run.ReadFileOf(result, "eval/test.jsonl"); });
    };
    EXPECT_THAT(refusal(), HasSubstr("is missing"));
    WriteFile(run.evaluation() / "test.jsonl", text);
    EXPECT_EQ(refusal(), "");
    ForEachFlip(text, [&](const std::string& flipped, std::size_t bit) {
      WriteFile(run.evaluation() / "test.jsonl", flipped);
      EXPECT_NE(refusal(), "") << "bit " << bit % 8 << " of byte " << bit / 8;
    });
    EXPECT_EQ(run.ReadFileOf(result, "eval/train.json"), std::nullopt);
  }
}

TEST(Integrity, HashOfAnotherLengthIsRefused) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path());
  WriteFile(run.events(), "");
  for (const std::size_t digits : {0, 1, 15, 17, 63}) {
    RunResult result;
    result.files["events.jsonl"] = Sha256("").substr(0, digits);
    EXPECT_NE(RefusalOf([&] { run.ReadFileOf(result, "events.jsonl"); }), "") << digits;
  }
}

TEST(Integrity, EventsOfFinishedRunThatAreCutOffAreNoticed) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path());
  const std::string text = Events(run.events());
  RunResult result;
  result.files["events.jsonl"] = Sha256(text);
  JsonReader reader;
  const auto refusal = [&] { return RefusalOf([&] { ReadCurves(run, result, reader); }); };
  EXPECT_EQ(refusal(), "");
  WriteFile(run.events(), text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  EXPECT_THAT(refusal(), HasSubstr("is not the file that result.json lists"));
  fs::remove(run.events());
  EXPECT_THAT(refusal(), HasSubstr("is missing"));
}

TEST(Integrity, WrongBitInEventsIsNoticedOnResuming) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "events.jsonl";
  const std::string text = Events(file);
  const EventsPrefix prefix{text.size(), Sha256(text)};
  EXPECT_EQ(ReadEvents(file, prefix), text);
  ForEachFlip(text, [&](const std::string& flipped, std::size_t bit) {
    WriteFile(file, flipped);
    EXPECT_NE(RefusalOf([&] { ReadEvents(file, prefix); }), "")
        << "bit " << bit % 8 << " of byte " << bit / 8;
  });
}

TEST(Version02, WrongBitInEventsIsNoticed) {
  const std::string file = Version02("runs/killed/events.jsonl");
  const std::string text = ReadFile(file);
  VerifyEvents02(text, file);
  ForEachFlip(text, [&](const std::string& flipped, std::size_t bit) {
    if (bit / 8 + 1 == text.size()) return;  // The last line then lacks its newline.
    EXPECT_NE(RefusalOf([&] { VerifyEvents02(flipped, file); }), "")
        << "bit " << bit % 8 << " of byte " << bit / 8;
  });
}

TEST(Version02, LostDoubledAndMovedEventsAreNoticed) {
  const std::string file = Version02("runs/killed/events.jsonl");
  const std::string text = ReadFile(file);
  const std::size_t first = text.find('\n') + 1, second = text.find('\n', first) + 1;
  const std::string a = text.substr(0, first), b = text.substr(first, second - first),
                    rest = text.substr(second);
  for (const std::string& changed : {b + rest, a + rest, a + a + b + rest, b + a + rest}) {
    EXPECT_THAT(RefusalOf([&] { VerifyEvents02(changed, file); }), HasSubstr("its check is wrong"));
  }
}

TEST(Version02, ResultListsTheFilesOfItsRun) {
  const RunDirectory run(Version02("runs/finished"));
  const RunResult result = run.ReadResult();
  for (const char* file : {"config.json", "events.jsonl", "eval/test.json", "eval/hardest.json"}) {
    EXPECT_EQ(result.files.count(file), 1u) << file;
  }
  for (const auto& [file, hash] : result.files) {
    EXPECT_NE(run.ReadFileOf(result, file), std::nullopt) << file;
  }
}

}  // namespace
}  // namespace flare
