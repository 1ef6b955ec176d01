#include <gtest/gtest.h>

#include "flare/base/long_work.h"

namespace flare {
namespace {

// Whoever started the tests may have had some of them ignored.
class StopSignalsTest : public testing::Test {
 protected:
  StopSignalsTest() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) ::signal(signal, SIG_DFL);
  }
};

TEST_F(StopSignalsTest, AreNotedInsteadOfEndingTheProcess) {
  const std::pair<int, const char*> all[] = {
      {SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGUSR1, "SIGUSR1"}};
  for (const auto& [signal, name] : all) {
    const StopSignals signals;
    EXPECT_EQ(signals.Received(), "");
    ::raise(signal);
    EXPECT_EQ(signals.Received(), name);
  }
}

TEST_F(StopSignalsTest, OneThatIsIgnoredStaysIgnored) {
  const auto before = ::signal(SIGHUP, SIG_IGN);
  {
    const StopSignals signals;
    ::raise(SIGHUP);
    EXPECT_EQ(signals.Received(), "");
  }
  ::signal(SIGHUP, before);
}

TEST_F(StopSignalsTest, ASecondInterruptEndsTheProcessAndNoOther) {
  const StopSignals signals;
  EXPECT_EXIT(
      {
        ::raise(SIGTERM);
        ::raise(SIGTERM);
        ::raise(SIGINT);
        ::raise(SIGTERM);
        ::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace flare
