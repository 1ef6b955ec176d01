#include <gtest/gtest.h>

#include "flare/runs/run_settings.h"
#include "support/refusal.h"

namespace flare {
namespace {

std::string Canonical(const std::string& text) { return CanonicalLoss(text, "--loss"); }

TEST(LossText, MeansTheSameInAnyOrder) {
  for (const char* text : {"rec+lm+ns", "rec+ns+lm", "ns+rec+lm", "lm+ns+rec"}) {
    EXPECT_EQ(Canonical(text), "rec+lm+ns") << text;
  }
  EXPECT_EQ(Canonical("ns+rec"), "rec+ns");
  EXPECT_EQ(Canonical("rec"), "rec");
}

TEST(LossText, MayBeWithoutRecognition) {
  EXPECT_EQ(Canonical("lm"), "lm");
  EXPECT_EQ(Canonical("ns+lm"), "lm+ns");
  EXPECT_TRUE(HasRecognition("rec"));
  EXPECT_TRUE(HasRecognition("rec+lm"));
  EXPECT_FALSE(HasRecognition("lm+ns"));
  EXPECT_EQ(LossTerms("lm+ns"), (std::vector<std::string>{"lm", "ns"}));
}

TEST(LossText, HasEveryTermOnce) {
  for (const char* text :
       {"", "+", "lm+", "lm+lm", "rec+", "+rec", "rec+lm+lm", "rec+rec", "rec+rec+lm", "Rec"}) {
    EXPECT_NE(RefusalOf([&] { Canonical(text); }), "") << text;
  }
  EXPECT_EQ(RefusalOf([] { Canonical("rec+ml"); }),
            "--loss: 'rec+ml' is not a sum of terms, each once, of rec, lm, ns, st and st_last; "
            "did you mean rec+lm?");
}

TEST(LossText, ListsTermsAndLosses) {
  EXPECT_EQ(LossTerms("rec"), std::vector<std::string>{});
  EXPECT_EQ(LossTerms("rec+lm+ns"), (std::vector<std::string>{"lm", "ns"}));
  EXPECT_TRUE(HasLossTerm("rec+lm+ns", "ns"));
  EXPECT_FALSE(HasLossTerm("rec+lm", "ns"));
  EXPECT_FALSE(HasLossTerm("rec+lm", "rec"));
  const std::vector<std::string> all = AllLosses();
  EXPECT_EQ(all.size(), std::size_t{1} << LossTerms(all.back()).size());
  EXPECT_EQ((std::vector<std::string>{all.begin(), all.begin() + 3}),
            (std::vector<std::string>{"rec", "rec+lm", "rec+ns"}));
  EXPECT_EQ(all.back(), "rec+lm+ns+st+st_last");
  for (const std::string& loss : all) EXPECT_EQ(Canonical(loss), loss);
}

}  // namespace
}  // namespace flare
