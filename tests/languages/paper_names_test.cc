#include <gtest/gtest.h>

#include <string>

#include "flare/base/error.h"
#include "flare/languages/catalog.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

std::string Refusal(const std::string& name, const std::string& text) {
  try {
    CheckPaperName(name, ResolveLanguage(text), "grid.toml:1");
  } catch (const InputError& error) {
    const std::string what = error.what();
    return what.substr(what.find("is not: ") + 8);
  }
  return "";
}

TEST(PaperNames, AreForThePapersLanguagesOnly) {
  EXPECT_EQ(Refusal("parity", "parity"), "");
  EXPECT_EQ(Refusal("majority", "majority"), "");
  EXPECT_EQ(Refusal("parity", "regex:(0*10*1)*0*10*"), "");
  EXPECT_EQ(Refusal("parity", "regex:(0*10*1)*0*"), "it has the empty string");
  EXPECT_EQ(Refusal("parity", "first"), "it lacks '0 1'");
  EXPECT_EQ(Refusal("first", "parity"), "it has '0 1'");
  EXPECT_EQ(Refusal("first", "regex:11(0|1)*"), "it lacks '1'");
  EXPECT_EQ(Refusal("parity", "regex:a"), "its alphabet is a, not 0 1");
  EXPECT_EQ(Refusal("majority", "parity"), "only regular languages can be shown to be the same");
  EXPECT_EQ(Refusal("parity", "majority"), "only regular languages can be shown to be the same");
  EXPECT_EQ(Refusal("mine", "parity"), "");
}

}  // namespace
}  // namespace flare
