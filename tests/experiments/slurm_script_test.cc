#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/experiments/slurm.h"

namespace flare {
namespace {

using testing::HasSubstr;

std::string ScriptWithTime(const std::string& time) {
  SlurmOptions options;
  options.time = time;
  return BatchScript("/bin/flare", "/tmp/it's here", options);
}

TEST(BatchScript, WritesTimesAsSlurmReadsThem) {
  const std::pair<const char*, const char*> times[] = {
      {"90", "0-01:30:00"},        {"2h", "0-02:00:00"},    {"12:00:00", "0-12:00:00"},
      {"2-12", "2-12:00:00"},      {"30:00", "0-00:30:00"}, {"1-02:03", "1-02:03:00"},
      {"1-00:00:30", "1-00:00:30"}};
  for (const auto& [given, written] : times) {
    EXPECT_THAT(ScriptWithTime(given), HasSubstr(std::string("#SBATCH --time=") + written + "\n"))
        << given;
  }
  EXPECT_THROW(ScriptWithTime("4"), InputError);
  EXPECT_THROW(ScriptWithTime("soon"), InputError);
}

TEST(BatchScript, QuotesPaths) {
  EXPECT_THAT(ScriptWithTime(""), HasSubstr("\n/bin/flare sweep work '/tmp/it'\\''s here' &"));
}

// Slurm fills in %A, wherever it stands.
TEST(SubmitCommand, NamesItsLogsAsSlurmReadsThem) {
  const auto command = SubmitCommand("/tmp/100%A/slurm/worker.sh", {});
  EXPECT_EQ(command[2], "--output=/tmp/100%%A/slurm/%A_%a.log");
  EXPECT_EQ(command.back(), "/tmp/100%A/slurm/worker.sh");
}

TEST(Durations, AreReadAndShown) {
  EXPECT_EQ(ParseDuration("90", "t"), 90);
  EXPECT_EQ(ParseDuration("1.5", "t"), 1.5);
  EXPECT_EQ(ParseDuration("1h30m", "t"), 5400);
  EXPECT_EQ(ParseDuration("2d", "t"), 172800);
  EXPECT_EQ(ParseDuration("02:30", "t"), 150);
  EXPECT_EQ(ParseDuration("01:00:00", "t"), 3600);
  for (const char* bad : {"", "h", "-1", "1:2:3:4", "1e3", "m30", "1x"}) {
    EXPECT_THROW(ParseDuration(bad, "t"), InputError) << bad;
  }
  EXPECT_EQ(FormatDuration(8.4), "8s");
  EXPECT_EQ(FormatDuration(200), "3m 20s");
  EXPECT_EQ(FormatDuration(7500), "2h 05m");
  EXPECT_EQ(FormatDuration(273600), "3d 04h");
}

}  // namespace
}  // namespace flare
