// Models of several targets in one process: each computes the bits that it computes alone.

#include "flare/nn/target.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "flare/nn/architectures.h"
#include "flare/nn/model.h"
#include "flare/nn/optimizer.h"

namespace flare {
namespace {

Batch SomeStrings() {
  Batch batch;
  batch.vocabulary = 2;
  for (std::uint32_t i = 0; i < 12; ++i) {
    batch.Add(std::vector<std::uint32_t>(i, i % 2), i % 3 == 0);
  }
  return batch;
}

// A training run that can be taken step by step.
class TrainingRun {
 public:
  TrainingRun(const std::string& architecture, Target target)
      : model_({.architecture = architecture,
                .vocabulary = 2,
                .layers = 2,
                .hidden = 16,
                .terms = {"lm"}},
               target),
        adam_(model_.parameters(), {}) {
    model_.Initialize(0);
  }

  void Step() {
    model_.Gradients(batch_, std::vector<double>{0.5}, MakeDropout(0.1, 0, adam_.steps()));
    adam_.Step(0.01, model_.parameters());
    model_.ParametersChanged();
  }
  std::vector<float> Logits() {
    std::vector<float> logits;
    model_.Logits(batch_, logits);
    return logits;
  }

 private:
  const Batch batch_ = SomeStrings();
  Model model_;
  Optimizer adam_;
};

std::vector<Target> TargetsHere() {
  std::vector<Target> targets = {Target::kAvx2, Target::kPortable, Target::kNative};
  if (HasTarget(Target::kAvx512)) targets.push_back(Target::kAvx512);
  return targets;
}

constexpr int kSteps = 3;

std::vector<std::vector<float>> OneAfterTheOther(const std::string& architecture) {
  std::vector<std::vector<float>> logits;
  for (const Target target : TargetsHere()) {
    TrainingRun run(architecture, target);
    for (int step = 0; step < kSteps; ++step) run.Step();
    logits.push_back(run.Logits());
  }
  return logits;
}

class Targets : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(, Targets, testing::Values("rnn", "lstm", "gru", "transformer"),
                         [](const auto& each) { return each.param; });

TEST_P(Targets, DoNotDisturbEachOtherInTurns) {
  const auto expected = OneAfterTheOther(GetParam());
  // Fused multiplication rounds less, so bits show whose kernels were called.
  EXPECT_NE(expected[0], expected[1]);
  std::vector<std::unique_ptr<TrainingRun>> runs;
  for (const Target target : TargetsHere())
    runs.push_back(std::make_unique<TrainingRun>(GetParam(), target));
  for (int step = 0; step < kSteps; ++step) {
    for (const auto& run : runs) run->Step();
  }
  for (std::size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(runs[i]->Logits(), expected[i]) << i;
}

TEST_P(Targets, DoNotDisturbEachOtherInThreads) {
  const auto expected = OneAfterTheOther(GetParam());
  const std::vector<Target> targets = TargetsHere();
  const std::size_t kThreads = 2 * targets.size();
  std::vector<std::vector<float>> found(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        TrainingRun run(GetParam(), targets[i % targets.size()]);
        for (int step = 0; step < kSteps; ++step) run.Step();
        found[i] = run.Logits();
      });
    }
  }
  for (std::size_t i = 0; i < kThreads; ++i) EXPECT_EQ(found[i], expected[i % targets.size()]) << i;
}

// As a process does that loads a run and then another: the first is still there.
TEST_P(Targets, AModelOutlivesThoseOfOthers) {
  TrainingRun first(GetParam(), Target::kAvx2);
  const auto before = first.Logits();
  for (const Target target : TargetsHere()) TrainingRun(GetParam(), target).Step();
  EXPECT_EQ(first.Logits(), before);
}

// Longer registers sum in another order where a product's shape asks for it: were all of these the
// bits of avx2, its kernels would have been called.
TEST(Avx512, HasBitsOfItsOwn) {
  if (!HasTarget(Target::kAvx512)) GTEST_SKIP() << "this CPU has no AVX-512";
  const auto logits_of = [](const std::string& architecture, Target target) {
    TrainingRun run(architecture, target);
    for (int step = 0; step < kSteps; ++step) run.Step();
    return run.Logits();
  };
  for (const char* architecture : {"rnn", "transformer"}) {
    const auto avx2 = logits_of(architecture, Target::kAvx2);
    const auto avx512 = logits_of(architecture, Target::kAvx512);
    EXPECT_NE(avx2, avx512) << architecture;
    for (std::size_t i = 0; i < avx2.size(); ++i) EXPECT_NEAR(avx2[i], avx512[i], 2e-4) << i;
  }
}

// The loader must find the program's function, for Highway's library calls what the loader finds.
TEST(Highway, DoesNotMeasureItsTimerWhenAProgramStarts) {
  void* const called = dlsym(RTLD_DEFAULT, "_ZN3hwy8platform15TimerResolutionEv");
  Dl_info of_called, of_ours;
  ASSERT_NE(dladdr(called, &of_called), 0);
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&CheckTarget), &of_ours), 0);
  EXPECT_EQ(of_called.dli_fbase, of_ours.dli_fbase) << of_called.dli_fname;
}

TEST(DefaultTarget, IsWhatTheCpuHas) {
  EXPECT_EQ(DefaultTarget(true), "avx2");
  EXPECT_EQ(DefaultTarget(false), "portable");
  EXPECT_NO_THROW(CheckTarget(ParseTarget(DefaultTarget())));
}

}  // namespace
}  // namespace flare
