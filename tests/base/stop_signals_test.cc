#include "flare/base/stop_signals.h"

#include <gtest/gtest.h>

namespace flare {
namespace {

TEST(StopSignals, AreNotedInsteadOfEndingTheProcess) {
  const std::pair<int, const char*> all[] = {
      {SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGUSR1, "SIGUSR1"}};
  for (const auto& [signal, name] : all) {
    const StopSignals signals;
    EXPECT_EQ(signals.Received(), "");
    ::raise(signal);
    EXPECT_EQ(signals.Received(), name);
  }
}

TEST(StopSignals, OneThatIsIgnoredStaysIgnored) {
  const auto before = ::signal(SIGHUP, SIG_IGN);
  {
    const StopSignals signals;
    ::raise(SIGHUP);
    EXPECT_EQ(signals.Received(), "");
  }
  ::signal(SIGHUP, before);
}

TEST(StopSignals, ASecondInterruptEndsTheProcessAndNoOther) {
  const StopSignals signals;
  EXPECT_EXIT(
      {
        ::raise(SIGTERM);
        ::raise(SIGTERM);
        ::raise(SIGINT);
        ::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace flare
