#include "flare/base/json.h"

#include <gtest/gtest.h>

#include <string>

#include "flare/base/error.h"

namespace flare {
namespace {

std::string ErrorOf(const std::string& text) {
  try {
    ParseJson(text, "file");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string Nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, ReportsWhatIsNoJson) {
  EXPECT_EQ(ParseJson(R"({"a": [1, null]})", "").at("a").size(), 2u);
  for (const char* text : {"", "{", "[1,]", "\"\xFF\"", "1e999", "nul", "{} {}"}) {
    EXPECT_TRUE(ErrorOf(text).starts_with("file: is not JSON: ")) << text;
  }
}

// A document of a million brackets would overflow the stack when it is copied or written.
TEST(ParseJson, RefusesWhatNestsDeeply) {
  EXPECT_EQ(ErrorOf(Nested(100)), "");
  EXPECT_EQ(ErrorOf(Nested(101)), "file: is nested more than 100 levels deep");
  EXPECT_EQ(ErrorOf(Nested(1'000'000)), "file: is nested more than 100 levels deep");
}

// Members are found one by one, so a large object would take time quadratic in its size.
TEST(ParseJson, RefusesVeryLargeObjects) {
  const auto object = [](int members) {
    std::string text = "[{}, {";
    for (int i = 0; i < members; ++i) text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
    return text + "}]";
  };
  EXPECT_EQ(ErrorOf(object(10'000)), "");
  EXPECT_EQ(ErrorOf(object(10'001)), "file: has an object of more than 10000 members");
}

TEST(Whole, TakesWholeNumbersThatFit) {
  EXPECT_EQ(Whole<std::uint64_t>(ParseJson("18446744073709551615", "")), ~std::uint64_t{0});
  EXPECT_EQ(Whole<std::int64_t>(ParseJson("-9223372036854775808", "")), INT64_MIN);
  EXPECT_EQ(Whole<int>(ParseJson("-1", "")), -1);
  EXPECT_EQ(Wholes<int>(ParseJson("[1, 2]", "")), (std::vector<int>{1, 2}));
  for (const char* text : {"-1", "1.5", "1e300", "18446744073709551616", "\"1\"", "null", "true"}) {
    EXPECT_THROW(Whole<std::size_t>(ParseJson(text, "")), Json::exception) << text;
  }
  EXPECT_THROW(Whole<int>(ParseJson("4294967297", "")), Json::exception);
  EXPECT_THROW(Whole<std::int64_t>(ParseJson("9223372036854775808", "")), Json::exception);
  EXPECT_THROW(Wholes<int>(ParseJson("1", "")), Json::exception);
}

TEST(Member, IntegerThatDoesNotFitIsNothing) {
  const Json json = ParseJson(R"({"one": 1, "large": 4294967297, "real": 1e300})", "");
  EXPECT_EQ(Member<int>(json, "one"), 1);
  EXPECT_EQ(Member<int>(json, "large"), std::nullopt);
  EXPECT_EQ(Member<int>(json, "real"), std::nullopt);
  EXPECT_EQ(Member<double>(json, "real"), 1e300);
}

TEST(FirstDifference, NamesTheLeaf) {
  const Json a = {{"x", 1}, {"y", {{"z", "a"}}}};
  const auto difference = [&](const Json& there, const Json& wanted) {
    return FirstDifference(there, wanted);
  };
  EXPECT_EQ(difference(a, a), "");
  EXPECT_EQ(difference(a, {{"x", 2}, {"y", {{"z", "b"}}}}), "x is 1, not 2");
  EXPECT_EQ(difference(a, {{"x", 1}, {"y", {{"z", "b"}}}}), "y.z is \"a\", not \"b\"");
  EXPECT_EQ(difference({{"x", 1}}, a), "y is not given there, and {\"z\":\"a\"} here");
  EXPECT_EQ(difference({{"y", Json::object()}}, {{"y", {{"z", 1}}}}),
            "y.z is not given there, and 1 here");
  EXPECT_EQ(difference({{"y", {{"z", 1}}}}, {{"y", Json::object()}}),
            "y.z is 1 there, and not given here");
  EXPECT_EQ(difference(a, {{"y", {{"z", "a"}}}}), "x is 1 there, and not given here");
  EXPECT_EQ(difference({{"x", std::string(100, 'a')}}, {{"x", "b"}}), "x differs");
  EXPECT_EQ(difference({{"x", 1}, {"y", 2}}, {{"y", 2}, {"x", 1}}),
            "the document is in a different order");
}

}  // namespace
}  // namespace flare
