#include <gtest/gtest.h>

#include <vector>

#include "flare/experiments/workers.h"

namespace flare {
namespace {

std::vector<RunPhase> AllPhases() {
  std::vector<RunPhase> phases;
  for (int i = 0; i < kRunPhases; ++i) phases.push_back(static_cast<RunPhase>(i));
  return phases;
}

unsigned ReachableFrom(unsigned phases) {
  for (unsigned before = 0; before != phases;) {
    before = phases;
    for (const RunTransition& transition : kRunTransitions) {
      if ((transition.from & phases) != 0) phases |= Phases({transition.to});
    }
  }
  return phases;
}

TEST(RunPhaseTest, EveryPhaseIsReachable) {
  const unsigned reachable = ReachableFrom(Phases({RunPhase::kOpen}));
  for (const RunPhase phase : AllPhases()) {
    EXPECT_TRUE(IsIn(phase, reachable)) << static_cast<int>(phase);
  }
}

TEST(RunPhaseTest, EveryPhaseIsFinalOrLeadsToEveryFinalOne) {
  for (const RunPhase phase : AllPhases()) {
    const unsigned reachable = ReachableFrom(Phases({phase}));
    if (IsIn(phase, kFinalPhases)) {
      EXPECT_EQ(reachable, Phases({phase})) << static_cast<int>(phase);
    } else {
      EXPECT_EQ(reachable & kFinalPhases, kFinalPhases) << static_cast<int>(phase);
    }
  }
}

// A run that is not ours is left by a look at its directory alone, so that whoever waits for it
// learns how it ended.
TEST(RunPhaseTest, AwaitedPhasesAreLeftByLooks) {
  for (const RunPhase phase : {RunPhase::kHeld, RunPhase::kContested, RunPhase::kAwaiting}) {
    EXPECT_EQ(Next(phase, RunEvent::kSeenOpen), RunPhase::kOpen);
    EXPECT_EQ(Next(phase, RunEvent::kResult), RunPhase::kFinished);
    EXPECT_EQ(Next(phase, RunEvent::kFailure), RunPhase::kFailed);
    EXPECT_EQ(Next(phase, RunEvent::kDamage), RunPhase::kDamaged);
  }
}

TEST(RunPhaseTest, EveryEventHasOneTransition) {
  for (int i = 0; i < kRunEvents; ++i) {
    EXPECT_EQ(kRunTransitions[static_cast<std::size_t>(i)].event, static_cast<RunEvent>(i));
  }
}

TEST(RunPhaseTest, UnknownPairIsACheckError) {
  for (const RunPhase phase : AllPhases()) {
    for (const RunTransition& transition : kRunTransitions) {
      if (IsIn(phase, transition.from)) {
        EXPECT_EQ(Next(phase, transition.event), transition.to);
      } else {
        EXPECT_THROW(Next(phase, transition.event), CheckError);
      }
    }
  }
}

}  // namespace
}  // namespace flare
