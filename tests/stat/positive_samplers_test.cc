// The positive samplers of all built-in languages against their laws: Appendix E's, enumerated by
// an oracle that walks through every choice of the paper's procedure with its probability, and for
// grammars the weights of all derivations.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "flare/languages/catalog.h"
#include "flare/languages/context_free.h"
#include "support/chi_square.h"
#include "support/every_language.h"
#include "support/naive_grammar.h"
#include "support/naive_languages.h"

namespace flare {
namespace {

// The grammar's weights, conditioned on a uniform length.
std::map<naive::Tokens, double> GrammarLaw(const ContextFreeLanguage& language,
                                           std::size_t longest) {
  const auto weights = naive::WeightsOf(language.grammar(), longest, 40);
  std::map<std::size_t, double> of_length;
  for (const auto& [w, weight] : weights) of_length[w.size()] += weight;
  std::map<naive::Tokens, double> law;
  for (const auto& [w, weight] : weights) {
    naive::Tokens tokens;
    for (const Symbol a : w) tokens.push_back(language.alphabet().Name(a));
    law[tokens] = weight / of_length[w.size()] / static_cast<double>(of_length.size());
  }
  return law;
}

class PositiveSamplerLaw : public testing::TestWithParam<CatalogEntry> {};

TEST_P(PositiveSamplerLaw, FrequenciesAndProbabilitiesFit) {
  constexpr std::size_t kDraws = 50000;
  constexpr std::size_t kLongest = 8;
  const auto language = GetParam().make();
  const Alphabet& alphabet = language->alphabet();
  const auto sampler = language->MakeSampler({0, kLongest});
  const auto* grammar = dynamic_cast<const ContextFreeLanguage*>(language.get());
  const auto law = grammar != nullptr ? GrammarLaw(*grammar, kLongest)
                                      : naive::PositiveLaw(GetParam().name, 0, kLongest);

  std::map<naive::Tokens, std::size_t> index;
  std::vector<double> expected;
  for (const auto& [tokens, p] : law) {
    index.emplace(tokens, expected.size());
    expected.push_back(p * kDraws);
    if (sampler->density() != nullptr) {
      String w;
      for (const std::string& token : tokens) w.push_back(alphabet.At(token));
      EXPECT_NEAR(sampler->density()->LogProbability(w), std::log(p), 1e-12);
    }
  }
  std::vector<std::size_t> counts(expected.size(), 0);
  String w;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    Rng rng = Rng::For(11, GetParam().name, i);
    sampler->Sample(rng, w);
    naive::Tokens tokens;
    for (const Symbol a : w) tokens.push_back(alphabet.Name(a));
    ASSERT_TRUE(index.count(tokens)) << alphabet.Format(w);
    ++counts[index[tokens]];
  }
  EXPECT_GT(ChiSquarePValue(counts, expected), kAlpha);
}

INSTANTIATE_TEST_SUITE_P(Catalog, PositiveSamplerLaw, AllLanguages(), LanguageTestName);

}  // namespace
}  // namespace flare
