#include <gtest/gtest.h>

#include <string>

#include "flare/automata/regex.h"
#include "flare/base/file.h"
#include "flare/languages/source.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

class MlregtestSource : public testing::Test {
 protected:
  void SetUp() override {
    // a*b, over a and b.
    WriteFileAtomically(folder_.path() / "02.02.SL.2.1.0.att", "0 0 a a\n0 1 b b\n1\n");
    WriteFileAtomically(folder_.path() / "02.02.Zp.2.1.0.txt",
                        "0 1 a a\n1 0 a a\n0 0 b b\n1 1 b b\n0\n");
  }
  NamedLanguage Resolve(const std::string& name) const {
    return ResolveLanguage("mlregtest:" + name, {.mlregtest = folder_.path().string()});
  }
  TemporaryDirectory folder_;
};

TEST_F(MlregtestSource, ReadsAutomataAndComplementsThemForCoLanguages) {
  EXPECT_EQ(*Resolve("02.02.SL.2.1.0").language->dfa(), CompileRegex("a*b"));
  EXPECT_EQ(*Resolve("02.02.Zp.2.1.0").language->dfa(), CompileRegex("(b*ab*a)*b*"));
  EXPECT_EQ(*Resolve("02.02.coSL.2.1.0").language->dfa(), CompileRegex("~(a*b)"));
}

TEST_F(MlregtestSource, SaysWhatIsMissing) {
  EXPECT_TRUE(RefusalOf([&] {
                Resolve("02.02.SP.2.1.0");
              }).ends_with("has no 02.02.SP.2.1.0.att or 02.02.SP.2.1.0.txt"));
  EXPECT_NE(RefusalOf([&] { Resolve("02.02.coSP.2.1.0"); }), "");
  EXPECT_NE(RefusalOf([&] { Resolve(""); }), "");
  EXPECT_NE(RefusalOf([&] { Resolve("../x"); }), "");
  EXPECT_NE(RefusalOf([&] { Resolve("."); }), "");
  ::unsetenv("FLARE_MLREGTEST");
  EXPECT_EQ(RefusalOf([] { ResolveLanguage("mlregtest:02.02.SL.2.1.0"); }),
            "mlregtest:02.02.SL.2.1.0: where are MLRegTest's automata?; name their folder with "
            "--mlregtest or $FLARE_MLREGTEST");
}

}  // namespace
}  // namespace flare
