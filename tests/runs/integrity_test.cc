// A wrong bit in the files of a run is noticed.

#include "flare/base/integrity.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/runs/curves.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/events.h"
#include "flare/runs/placed_run.h"
#include "flare/runs/run_directory.h"
#include "support/fake_sweep.h"
#include "support/integrity.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/version01.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

std::string Events(const fs::path& file) {
  EventLog log(file, 0);
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
  const Sweep sweep = ReadSweep(fake.directory(), fake.names());
  for (const char* name : {"config.json", "result.json"}) {
    const fs::path file = fake.RunPath(run) / name;
    const std::string text = ReadFile(file);
    std::size_t unnoticed = 0;
    ForEachFlip(text, [&](const std::string& flipped, std::size_t bit) {
      WriteFile(file, flipped);
      if (ReadPlacedRun(sweep, run.at(), fake.names()).state == RunState::kDamaged) return;
      ++unnoticed;
      ADD_FAILURE() << name << ": bit " << bit % 8 << " of byte " << bit / 8;
    });
    EXPECT_EQ(unnoticed, 0u) << name;
    WriteFile(file, text);
    EXPECT_EQ(ReadPlacedRun(sweep, run.at(), fake.names()).state, RunState::kFinished);
  }
}

TEST(Integrity, AWrongBitInTheSweepIsNoticed) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.trials = 1});
  fake.Add(FakeRun{});
  const Sweep sweep = ReadSweep(fake.directory(), fake.names());
  const fs::path file = SweepFile(fake.directory());
  const std::string text = ReadFile(file);
  const auto refusal = [&] {
    return RefusalOf([&] { ReadSweep(fake.directory(), fake.names()); });
  };
  ForEachFlip(text, [&](const std::string& flipped, std::size_t bit) {
    WriteFile(file, flipped);
    EXPECT_NE(refusal(), "") << "bit " << bit % 8 << " of byte " << bit / 8;
  });
  // With fewer or more runs than it says, also if the check is gone.
  for (const std::size_t runs : {sweep.grid.Runs().size() - 1, sweep.grid.Runs().size() + 1}) {
    Json changed = SweepToJson(sweep);
    changed["runs"] = runs;
    WriteFile(file, JsonText(changed));
    EXPECT_NE(refusal().find("its grid has"), std::string::npos) << refusal();
  }
  // Somebody who means it takes the check out.
  WriteFile(file, JsonText(SweepToJson(sweep)));
  EXPECT_EQ(refusal(), "");
}

TEST(Integrity, AWrongBitInAnEvaluationIsNoticed) {
  const std::string text = R"({"logit":1.5,"label":1,"length":3,"cross_entropy":0.25})"
                           "\n";
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "test.jsonl";
  RunResult result;
  result.evaluation_files["test.jsonl"] = CheckOf(text);
  const auto refusal = [&] { return RefusalOf([&] { ReadEvaluation(result, file); }); };
  EXPECT_NE(refusal().find("is missing"), std::string::npos);
  WriteFile(file, text);
  EXPECT_EQ(refusal(), "");
  ForEachFlip(text, [&](const std::string& flipped, std::size_t bit) {
    WriteFile(file, flipped);
    EXPECT_NE(refusal(), "") << "bit " << bit % 8 << " of byte " << bit / 8;
  });
  // Files without a record of their check, as those of 0.1, are read unchecked.
  WriteFile(directory.path() / "hardest.json", text);
  EXPECT_EQ(ReadEvaluation(result, directory.path() / "hardest.json"), text);
  EXPECT_EQ(ReadEvaluation(result, directory.path() / "train.json"), std::nullopt);
}

TEST(Integrity, AWrongBitInEventsIsNoticedOnResuming) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "events.jsonl";
  const std::string text = Events(file);
  ForEachFlip(text, [&](const std::string& flipped, std::size_t bit) {
    WriteFile(file, flipped);
    EXPECT_NE(RefusalOf([&] { EventLog(file, text.size()); }), "")
        << "bit " << bit % 8 << " of byte " << bit / 8;
  });
}

// Except for the newline at the end: without it the last line is one that is being written.
TEST(Integrity, EveryWrongBitInEventsIsNoticedByTheReaderOfCurves) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "events.jsonl";
  const std::string text = Events(file);
  JsonReader reader;
  ForEachFlip(text, [&](const std::string& flipped, std::size_t bit) {
    if (bit / 8 + 1 == text.size()) return;
    EXPECT_NE(RefusalOf([&] { ReadCurve(flipped, file, reader); }), "")
        << "bit " << bit % 8 << " of byte " << bit / 8;
  });
}

// Lines that are lost at the end no later line misses; the result does.
TEST(Integrity, EventsOfAFinishedRunThatAreCutOffAreNoticed) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path());
  const std::string text = Events(run.events());
  RunResult result;
  result.run_files = run.ChecksOfFiles();
  JsonReader reader;
  const auto refusal = [&] { return RefusalOf([&] { ReadCurves(run, result, reader); }); };
  EXPECT_EQ(refusal(), "");
  WriteFile(run.events(), text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  EXPECT_NE(refusal().find("is not what result.json says"), std::string::npos) << refusal();
  fs::remove(run.events());
  EXPECT_NE(refusal().find("is missing"), std::string::npos) << refusal();
}

TEST(Integrity, LinesThatAreLostDoubledOrMovedAreNoticed) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "events.jsonl";
  const std::string text = Events(file);
  const std::size_t first = text.find('\n') + 1, second = text.find('\n', first) + 1;
  const std::string a = text.substr(0, first), b = text.substr(first, second - first),
                    rest = text.substr(second);
  JsonReader reader;
  EXPECT_EQ(RefusalOf([&] { ReadCurve(a + b + rest, file, reader); }), "");
  for (const std::string& changed : {b + rest, a + rest, a + a + b + rest, b + a + rest}) {
    EXPECT_NE(RefusalOf([&] { ReadCurve(changed, file, reader); }).find("its check is wrong"),
              std::string::npos);
  }
}

TEST(Integrity, EventsGoOnWithTheirChecksAfterAnInterruption) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "events.jsonl";
  const std::string text = Events(file);
  const std::size_t kept = text.find('\n', text.size() / 2) + 1;
  {
    EventLog log(file, kept);
    log.Append(FinishEvent{
        .outcome = "finished", .stop_reason = "epoch limit", .epochs = 3, .best_epoch = 3});
  }
  JsonReader reader;
  const std::string resumed = ReadFile(file);
  EXPECT_GT(resumed.size(), kept);
  EXPECT_EQ(RefusalOf([&] { ReadCurve(resumed, file, reader); }), "");
}

TEST(Integrity, EventsOfVersion01AreReadWithoutAndGetChecksWhenTheyGoOn) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "events.jsonl";
  const std::string old = ReadFile(Version01("unfinished-transformer/events.jsonl"));
  ASSERT_EQ(old.find("\"check\":"), std::string::npos);
  WriteFile(file, old);
  {
    EventLog log(file, old.size());
    log.Append(StartEvent{});
  }
  const std::string text = ReadFile(file);
  JsonReader reader;
  EXPECT_EQ(RefusalOf([&] { ReadCurve(text, file, reader); }), "");
  // The check of the new line covers the old ones.
  std::string changed = text;
  changed.replace(changed.find("\"loss\":0"), 8, "\"loss\":1");
  EXPECT_NE(RefusalOf([&] { ReadCurve(changed, file, reader); }), "");
}

}  // namespace
}  // namespace flare
