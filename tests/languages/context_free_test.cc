#include "flare/languages/context_free.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flare/base/rng.h"
#include "flare/grammars/grammar.h"
#include "support/refusal.h"

namespace flare {
namespace {

using testing::HasSubstr;

// Weighing strings of this length 10,000 times would take minutes.
TEST(ContextFreeLanguage, HopelesslyAmbiguousGrammarIsRefusedSoon) {
  const ContextFreeLanguage language(ParseGrammar("S -> S S | S | 'a' |", "g"), "g");
  const auto sampler = language.MakeUniformSampler({200, 200});
  Rng rng = Rng::For(0, "ambiguous");
  String w;
  const std::string refusal = RefusalOf([&] { sampler->Sample(rng, w); });
  EXPECT_THAT(refusal, HasSubstr("of 5 derivations of length 200, none was kept"));
}

}  // namespace
}  // namespace flare
