#include "flare/data/mlregtest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "flare/automata/matching.h"
#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/base/error.h"
#include "flare/data/dataset_config.h"
#include "flare/languages/source.h"
#include "support/chi_square.h"
#include "support/random_automata.h"

namespace flare {
namespace {

// All pairs of a member and a non-member one insertion, deletion or replacement apart, by trying.
using Pairs = std::set<std::pair<String, String>>;
Pairs NaivePairs(const Dfa& dfa, Border::Edit edit, std::size_t member_length) {
  const std::size_t width = dfa.alphabet().size();
  Pairs pairs;
  for (const String& x : AllStrings(width, member_length)) {
    if (x.size() != member_length || !dfa.Accepts(x)) continue;
    const auto offer = [&](const String& y) {
      if (!dfa.Accepts(y)) pairs.emplace(x, y);
    };
    for (std::size_t i = 0; i <= x.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      for (std::size_t a = 0; a < width; ++a) {
        String y = x;
        if (edit == Border::Edit::kInsert) {
          y.insert(y.begin() + at, SymbolAt(a));
          offer(y);
        } else if (edit == Border::Edit::kReplace && i < x.size() && x[i] != SymbolAt(a)) {
          y[i] = SymbolAt(a);
          offer(y);
        }
      }
      if (edit == Border::Edit::kDelete && i < x.size()) {
        String y = x;
        y.erase(y.begin() + at);
        offer(y);
      }
    }
  }
  return pairs;
}

TEST(Border, IsUniformOverAllPairsOneEditApart) {
  constexpr std::size_t kLength = 4, kDraws = 20000;
  std::size_t tested = 0;
  for (std::uint64_t m = 0; m < 24; ++m) {
    Rng machine_rng = Rng::For(0, "border", m);
    const Dfa dfa = Trim(RandomDfa(4, Letters(2), 0.7, machine_rng));
    if (IsEmpty(dfa)) continue;
    for (const auto edit : {Border::Edit::kReplace, Border::Edit::kInsert, Border::Edit::kDelete}) {
      const Border border(dfa, edit, kLength);
      for (std::size_t n = 0; n <= kLength; ++n) {
        EXPECT_EQ(border.HasLength(n), !NaivePairs(dfa, edit, n).empty());
      }
      const Pairs pairs = NaivePairs(dfa, edit, kLength);
      if (pairs.size() < 2) continue;
      std::map<std::pair<String, String>, std::size_t> counts;
      for (const auto& pair : pairs) counts[pair] = 0;
      for (std::uint64_t i = 0; i < kDraws; ++i) {
        Rng rng = Rng::For(m, "border-draw", i);
        const Border::Pair pair = border.Sample(kLength, rng);
        const auto found = counts.find({pair.member, pair.other});
        ASSERT_NE(found, counts.end());
        ++found->second;
      }
      std::vector<std::size_t> observed;
      for (const auto& [pair, count] : counts) observed.push_back(count);
      const double each = static_cast<double>(kDraws) / static_cast<double>(pairs.size());
      EXPECT_GT(ChiSquarePValue(observed, std::vector<double>(pairs.size(), each)), kAlpha);
      ++tested;
    }
  }
  EXPECT_GT(tested, 10u);
}

class MlregtestSplits : public testing::TestWithParam<const char*> {};

TEST_P(MlregtestSplits, AreBalancedPerLengthAndOneEditApart) {
  const NamedLanguage language = ResolveLanguage(GetParam());
  const Dfa& dfa = *language.language->dfa();
  const DatasetConfig config = MakePreset("mlregtest");
  const DrawContext context{language, config, "test", 0};
  for (const SplitConfig& split_config : config.splits) {
    const auto split = DrawSplit(context, split_config, {});
    ASSERT_TRUE(split.has_value());
    EXPECT_EQ(split->size(), 1000u) << split_config.name;
    std::map<std::size_t, std::map<bool, std::size_t>> by_length;
    for (std::size_t i = 0; i < split->size(); ++i) {
      const StringView w = split->string(i);
      ASSERT_TRUE(split_config.lengths.Contains(w.size())) << split_config.name;
      ASSERT_EQ(dfa.Accepts(w), split->labels[i] != 0);
      ++by_length[w.size()][split->labels[i] != 0];
    }
    std::size_t least = SIZE_MAX, most = 0;
    for (const auto& [length, counts] : by_length) {
      EXPECT_EQ(counts.at(true), counts.at(false)) << split_config.name << " " << length;
      least = std::min(least, counts.at(true));
      most = std::max(most, counts.at(true));
    }
    EXPECT_LE(most - least, 1u) << split_config.name;
    if (split_config.kind != SplitKind::kAdversarial) continue;
    for (std::size_t i = 0; i < split->size(); i += 2) {
      EXPECT_TRUE(split->labels[i] == 1 && split->labels[i + 1] == 0);
      // The distance of the two: that of one to the language of just the other.
      DfaBuilder chain(dfa.alphabet());
      StateId q = chain.AddState(split->string(i).empty());
      const StateId start = q;
      for (std::size_t t = 0; t < split->string(i).size(); ++t) {
        const StateId next = chain.AddState(t + 1 == split->string(i).size());
        chain.AddTransition(q, split->string(i)[t], next);
        q = next;
      }
      ASSERT_EQ(EditDistance(std::move(chain).Build(start), split->string(i + 1)), 1u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, MlregtestSplits,
                         testing::Values("parity", "even-pairs", "dyck-2-3", "repeat-01",
                                         "regex:(a|b)*ab(a|b)*"));

TEST(Border, RefusesAutomataThatWouldNotFit) {
  const auto over = [](int size) {
    std::vector<std::string> names;
    for (int i = 0; i < size; ++i) names.push_back("s" + std::to_string(i));
    return CompileRegex("(<s0>|<s1>.){5}", names);
  };
  EXPECT_NO_THROW(Border(over(30), Border::Edit::kReplace, 5));
  EXPECT_NO_THROW(Border(over(30), Border::Edit::kInsert, 5));
  // A million replacements from every state; an insertion is a state of its own for every symbol.
  EXPECT_THROW(Border(over(1'000), Border::Edit::kReplace, 5), InputError);
  EXPECT_THROW(Border(over(1'000), Border::Edit::kInsert, 5), InputError);
}

TEST(DrawAdversarial, UsesAllTypesOfEditsWhereTheyExist) {
  const DatasetConfig config = MakePreset("mlregtest");
  const auto edits_of = [&](const char* text) {
    const NamedLanguage language = ResolveLanguage(text);
    const DrawContext context{language, config, "test", 0};
    const auto split = DrawSplit(context, config.splits[3], {});
    std::map<std::ptrdiff_t, int> by_difference;
    for (std::size_t i = 0; i < split->size(); i += 2) {
      ++by_difference[std::ssize(split->string(i + 1)) - std::ssize(split->string(i))];
    }
    return by_difference;
  };
  const auto parity = edits_of("parity");
  for (const std::ptrdiff_t difference : {-1, 0, 1}) EXPECT_NEAR(parity.at(difference), 167, 45);
  EXPECT_EQ(edits_of("dyck-2-3"), (std::map<std::ptrdiff_t, int>{{0, 500}}));
}

// Uniform over the strings of a length, on both sides, with the probability that is written.
TEST(DrawBalanced, IsUniformOverTheStringsOfALength) {
  const NamedLanguage language = ResolveLanguage("regex:((a|b)(a|b))*|a(a|b)*");
  DatasetConfig config = MakePreset("mlregtest");
  config.splits[0].lengths = {1, 4};
  config.splits[0].size = 20000;
  const DrawContext context{language, config, "test", 0};
  auto split = DrawSplit(context, config.splits[0], {});
  FillColumns(context, config.splits[0], *split);
  std::map<String, std::size_t> counts;
  std::map<String, double> p;
  std::size_t positive = 0;
  for (std::size_t i = 0; i < split->size(); ++i) {
    const String w(split->string(i).begin(), split->string(i).end());
    if (w.size() == 3) ++counts[w];
    if (split->labels[i] != 0) p[w] = std::exp(split->log_probabilities[positive++]);
  }
  // Of odd lengths half are members; lengths 2 and 4 have no non-members and are left out.
  EXPECT_EQ(counts.size(), 8u);
  std::vector<std::size_t> observed;
  for (const auto& [w, count] : counts) observed.push_back(count);
  EXPECT_GT(ChiSquarePValue(observed, std::vector<double>(8, 1250)), kAlpha);
  double sum = 0;
  for (const auto& [w, probability] : p) sum += probability;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(DrawBalanced, SharesItsSizeOutAndTheShorterTakeWhatIsLeftOver) {
  const NamedLanguage language = ResolveLanguage("parity");
  DatasetConfig config = MakePreset("mlregtest");
  config.splits[0].lengths = {2, 4};
  config.splits[0].size = 16;
  const auto split = DrawSplit({language, config, "test", 0}, config.splits[0], {});
  std::map<std::size_t, std::size_t> of_length;
  for (std::size_t i = 0; i < split->size(); ++i) ++of_length[split->string(i).size()];
  EXPECT_EQ(of_length, (std::map<std::size_t, std::size_t>{{2, 6}, {3, 6}, {4, 4}}));
}

TEST(DrawBalanced, RefusesLanguagesWithoutMembersOrNonMembers) {
  const DatasetConfig config = MakePreset("mlregtest");
  for (const char* text : {"regex:[ab]*", "regex:a{3}", "regex:(..)*&[ab]*", "majority"}) {
    const NamedLanguage language = ResolveLanguage(text);
    const DrawContext context{language, config, "test", 0};
    EXPECT_THROW(DrawSplit(context, config.splits[0], {}), InputError) << text;
    EXPECT_THROW(DrawSplit(context, config.splits[3], {}), InputError) << text;
  }
}

TEST(FormatMlregtest, JoinsSingleCharactersAndSpacesOthers) {
  Split split(2);
  split.Add(String{SymbolAt(0), SymbolAt(1)}, true);
  split.Add(String{}, false);
  EXPECT_EQ(FormatMlregtest(Alphabet({"a", "×"}), split), "a×\tTRUE\n\tFALSE\n");
  EXPECT_EQ(FormatMlregtest(Alphabet({"(0", ")0"}), split), "(0 )0\tTRUE\n\tFALSE\n");
}

}  // namespace
}  // namespace flare
