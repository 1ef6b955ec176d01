#include "flare/base/json.h"

#include <gtest/gtest.h>

namespace flare {
namespace {

TEST(FirstDifference, NamesTheLeaf) {
  const Json a = {{"x", 1}, {"y", {{"z", "a"}}}};
  const auto difference = [&](const Json& there, const Json& wanted) {
    return FirstDifference(there, wanted);
  };
  EXPECT_EQ(difference(a, a), "");
  EXPECT_EQ(difference(a, {{"x", 2}, {"y", {{"z", "b"}}}}), "x is 1, not 2");
  EXPECT_EQ(difference(a, {{"x", 1}, {"y", {{"z", "b"}}}}), "y.z is \"a\", not \"b\"");
  EXPECT_EQ(difference({{"x", 1}}, a), "y is missing, not {\"z\":\"a\"}");
  EXPECT_EQ(difference({{"y", Json::object()}}, {{"y", {{"z", 1}}}}), "y.z is missing, not 1");
  EXPECT_EQ(difference({{"y", {{"z", 1}}}}, {{"y", Json::object()}}), "y.z is 1, not missing");
  EXPECT_EQ(difference(a, {{"y", {{"z", "a"}}}}), "x is 1, not missing");
  EXPECT_EQ(difference({{"x", std::string(100, 'a')}}, {{"x", "b"}}), "x is another");
  EXPECT_EQ(difference({{"x", 1}, {"y", 2}}, {{"y", 2}, {"x", 1}}),
            "the document is in another order");
}

}  // namespace
}  // namespace flare
