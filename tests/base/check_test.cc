#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "flare/base/error.h"
#include "flare/base/long_work.h"

namespace flare {
namespace {

TEST(Check, FailureSaysWhereAndWhat) {
  FLARE_CHECK(1 + 1 == 2);
  try {
    FLARE_CHECK(1 + 1 == 3);
    FAIL();
  } catch (const CheckError& error) {
    const std::string what = error.what();
    EXPECT_TRUE(
        std::regex_match(what, std::regex(".*check_test\\.cc:[0-9]+: check failed: 1 \\+ 1 == 3")))
        << what;
  }
}

TEST(Check, FailureInAThreadReachesTheCaller) {
  EXPECT_THROW(ForEachInParallel(8, 4, [](std::size_t i) { FLARE_CHECK(i != 5); }), CheckError);
}

}  // namespace
}  // namespace flare
