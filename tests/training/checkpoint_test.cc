#include "flare/training/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/base/sha256.h"
#include "flare/nn/dropout.h"
#include "flare/nn/safetensors.h"
#include "flare/training/make_settings.h"
#include "flare/training/train_data.h"
#include "flare/training/trainer.h"

namespace flare {
namespace {

using testing::HasSubstr;

const ModelConfig kConfig{.architecture = "lstm",
                          .vocabulary = 2,
                          .layers = 2,
                          .hidden = 9,
                          .terms = {"lm"},
                          .options = {}};
constexpr double kCoefficients[] = {0.5};

struct Learner {
  Learner() : model(kConfig), adam(model.parameters(), {}) { model.Initialize(1); }
  void Step() {
    Batch batch;
    batch.vocabulary = 2;
    batch.Add(std::vector<std::uint32_t>{0, 1, 1}, true);
    batch.Add(std::vector<std::uint32_t>{1}, false);
    model.Gradients(batch, kCoefficients, MakeDropout(0.1, 1, adam.steps()));
    adam.Step(0.01, model.parameters());
    model.ParametersChanged();
  }
  Model model;
  Optimizer adam;
};

TEST(Checkpoint, ResumesToTheSameBits) {
  Learner straight, first, second;
  for (int i = 0; i < 6; ++i) straight.Step();
  for (int i = 0; i < 3; ++i) first.Step();
  TrainingProgress progress;
  progress.epoch = 7;
  progress.next_batch = 2;
  progress.examples = 4000;
  progress.examples_since_checkpoint = 11;
  progress.in_epoch = {12, 13, 0.1 + 0.2, 0.2, {0.3}, 0.5};
  progress.best = {5, {{"recognition_cross_entropy", 1.0 / 3}, {"accuracy", 0.9}}};
  progress.schedule = {0.125, 3};
  progress.stopping = {1.0 / 3, 7, 2};
  progress.stop_reason = "why \"not\"";
  progress.training_seconds = 1.25;
  progress.seconds = 1.5;
  progress.cpu_seconds = 1.375;
  progress.events = {99, "abc"};
  progress.config = "{}";
  const std::string bytes =
      FormatCheckpoint(progress, first.model, first.adam, first.model.parameters().values());
  BestParameters best;
  const TrainingProgress back = ParseCheckpoint(bytes, "c", second.model, second.adam, best);
  EXPECT_EQ(back.epoch, 7u);
  EXPECT_EQ(back.next_batch, 2u);
  EXPECT_EQ(back.examples, 4000u);
  EXPECT_EQ(back.examples_since_checkpoint, 11u);
  EXPECT_EQ(back.in_epoch.examples, 12u);
  EXPECT_EQ(back.in_epoch.steps, 13u);
  EXPECT_EQ(back.in_epoch.loss, 0.1 + 0.2);
  EXPECT_EQ(back.in_epoch.recognition, 0.2);
  EXPECT_EQ(back.in_epoch.terms, std::vector<double>{0.3});
  EXPECT_EQ(back.in_epoch.seconds, 0.5);
  ASSERT_TRUE(back.best.has_value());
  EXPECT_EQ(back.best->epoch, 5u);
  EXPECT_EQ(back.best->figures, progress.best->figures);
  EXPECT_EQ(back.stopping.best, 1.0 / 3);
  EXPECT_EQ(back.stopping.since_best, 7u);
  EXPECT_EQ(back.stopping.reached, 2u);
  EXPECT_EQ(back.schedule.learning_rate, 0.125);
  EXPECT_EQ(back.schedule.since_reduction, 3u);
  EXPECT_EQ(back.stop_reason, progress.stop_reason);
  EXPECT_EQ(back.training_seconds, 1.25);
  EXPECT_EQ(back.seconds, 1.5);
  EXPECT_EQ(back.cpu_seconds, 1.375);
  EXPECT_EQ(back.events.size, 99u);
  EXPECT_EQ(back.events.sha256, "abc");
  EXPECT_EQ(back.config, "{}");
  EXPECT_EQ(best, first.model.parameters().values());
  for (int i = 0; i < 3; ++i) second.Step();
  EXPECT_EQ(second.model.parameters().values(), straight.model.parameters().values());
}

TEST(Checkpoint, NoDamageGoesUnnoticed) {
  Learner learner, other;
  learner.Step();
  const std::string bytes = FormatCheckpoint({}, learner.model, learner.adam, {});
  BestParameters best;
  Rng rng = Rng::For(2, "damage");
  const FloatArray before = other.model.parameters().values();
  const auto expect_refused = [&](const std::string& damaged) {
    try {
      ParseCheckpoint(damaged, "run/checkpoint.safetensors", other.model, other.adam, best);
      ADD_FAILURE();
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("run/checkpoint.safetensors"));
      EXPECT_THAT(error.hint(), HasSubstr("start it over"));
    }
    EXPECT_EQ(other.model.parameters().values(), before);
  };
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes;
    const std::size_t at = rng.UniformInt(bytes.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << rng.UniformInt(8)));
    expect_refused(damaged);
  }
  for (int i = 0; i < 50; ++i) expect_refused(bytes.substr(0, rng.UniformInt(bytes.size())));
  expect_refused(bytes + "x");
}

// Batches are planned again: a next one that is not there would be looked for beyond their end.
TEST(Checkpoint, BatchBeyondTheEpochIsRefused) {
  const RunSettings config = MakeSettings({{"architecture", "rnn"},
                                           {"loss", "rec"},
                                           {"validation", "short"},
                                           {"hidden", "8"},
                                           {"layers", "1"}},
                                          2);
  Split split(2);
  split.Add(String{SymbolAt(0)}, true);
  split.Add(String{SymbolAt(1)}, false);
  const auto strings = StringsOf(split);
  Trainer trainer(config, *strings, split, 2);
  Model model(ModelOf(config, 2));
  const Optimizer adam(model.parameters(), OptimizerOf(config));
  TrainingProgress progress;
  trainer.Resume(FormatCheckpoint(progress, model, adam, {}), "c");
  progress.next_batch = trainer.steps_per_epoch();
  EXPECT_THROW(trainer.Resume(FormatCheckpoint(progress, model, adam, {}), "c"), InputError);
  progress.stop_reason = "a run that has stopped has no next batch";
  trainer.Resume(FormatCheckpoint(progress, model, adam, {}), "c");
}

// Whole, and with the right hash, but of a state that is not this run's.
TEST(Checkpoint, MissingMomentsOfTheOptimizerAreRefused) {
  Learner learner;
  TensorFile file = ParseSafetensors(FormatCheckpoint({}, learner.model, learner.adam, {}), "c");
  const auto refusal = [&] {
    file.metadata.erase("sha256");
    file.metadata["sha256"] = Sha256(FormatSafetensors(file));
    BestParameters best;
    try {
      ParseCheckpoint(FormatSafetensors(file), "c", learner.model, learner.adam, best);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  file.tensors.erase("optimizer.second_moment");
  EXPECT_EQ(refusal(), "c: optimizer.second_moment is missing or has the wrong size");
}

TEST(Trainer, NamesTheExampleThatIsTooLong) {
  const RunSettings config = MakeSettings({{"architecture", "transformer"},
                                           {"loss", "rec"},
                                           {"validation", "short"},
                                           {"hidden", "64"},
                                           {"layers", "1"}},
                                          2);
  Split split(2);
  split.Add(String{SymbolAt(0)}, true);
  split.Add(String(1'000'000, SymbolAt(1)), false);
  try {
    const Trainer trainer(config, *StringsOf(split), split, 2);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), "training example 2");
  }
}

}  // namespace
}  // namespace flare
