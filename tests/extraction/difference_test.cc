#include "flare/extraction/difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "flare/automata/length_sampler.h"
#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/automata/text_formats.h"
#include "flare/base/file.h"
#include "support/installed.h"
#include "support/random_automata.h"
#include "support/shell.h"

namespace flare {
namespace {

TEST(LanguageDifference, IsWhatEnumerationFinds) {
  constexpr std::size_t kLongest = 7;
  for (std::uint64_t i = 0; i < 100; ++i) {
    Rng rng = Rng::For(3, "difference", i);
    const Dfa target = Minimize(RandomDfa(1 + i % 5, Letters(2), 0.7, rng));
    const Dfa claim = RandomDfa(1 + i % 4, Letters(2), 0.9, rng);
    const LanguageDifference difference = CompareLanguages(target, claim, kLongest);
    ASSERT_EQ(difference.by_length.size(), kLongest + 1);
    struct Expected {
      double members = 0, non_members = 0, rejected = 0, accepted = 0, mass = 0;
    };
    std::vector<Expected> expected(kLongest + 1);
    std::optional<String> first_rejected, first_accepted;
    const LengthSampler law(target, Distribution::kPaper, kLongest);
    for (const String& w : AllStrings(2, kLongest)) {
      const bool in = target.Accepts(w), claimed = claim.Accepts(w);
      Expected& row = expected[w.size()];
      ++(in ? row.members : row.non_members);
      if (in && !claimed) {
        ++row.rejected;
        row.mass += std::exp(law.LogProbability(w));
        if (!first_rejected) first_rejected = w;
      }
      if (!in && claimed) {
        ++row.accepted;
        if (!first_accepted) first_accepted = w;
      }
    }
    for (const LengthDifference& row : difference.by_length) {
      const Expected& e = expected[row.length];
      EXPECT_EQ(row.members.ToDouble(), e.members);
      EXPECT_EQ(row.non_members.ToDouble(), e.non_members);
      EXPECT_EQ(row.wrongly_rejected.ToDouble(), e.rejected);
      EXPECT_EQ(row.wrongly_accepted.ToDouble(), e.accepted);
      EXPECT_EQ(row.rejects_by_paper.has_value(), e.members > 0);
      EXPECT_EQ(row.accepts_uniformly.has_value(), e.non_members > 0);
      if (e.members > 0) {
        EXPECT_NEAR(*row.rejects_by_paper, e.mass, 1e-12);
        EXPECT_NEAR(*row.rejects_uniformly, e.rejected / e.members, 1e-15);
      }
      if (e.non_members > 0) {
        EXPECT_NEAR(*row.accepts_uniformly, e.accepted / e.non_members, 1e-15);
      }
    }
    // A shortest one may be longer than what was enumerated.
    if (first_rejected) EXPECT_EQ(difference.first_wrongly_rejected, first_rejected);
    if (first_accepted) EXPECT_EQ(difference.first_wrongly_accepted, first_accepted);
    if (difference.equal()) EXPECT_EQ(Minimize(claim), target);
  }
}

// (01)* against "ε, or ends in 1": of 2^n strings of an even length n all that end in 1 but one are
// wrong, far beyond a double's range.
// The symmetric difference of a language and a set of strings, by the definition of a DFA: states
// of the trie of the strings beside those of the language.
Dfa FlipStrings(const Dfa& dfa, const std::vector<String>& flipped) {
  Effort effort("a test");
  const Dfa complete = Complete(dfa, effort);
  const std::size_t width = dfa.alphabet().size();
  const auto is_prefix = [&](const String& w) {
    return std::any_of(flipped.begin(), flipped.end(), [&](const String& f) {
      return w.size() <= f.size() && std::equal(w.begin(), w.end(), f.begin());
    });
  };
  DfaBuilder builder(dfa.alphabet());
  for (std::size_t q = 0; q < complete.num_states(); ++q) {
    builder.AddState(complete.IsAccepting(StateAt(q)));
  }
  for (std::size_t q = 0; q < complete.num_states(); ++q) {
    for (std::size_t a = 0; a < width; ++a) {
      builder.AddTransition(StateAt(q), SymbolAt(a), *complete.Next(StateAt(q), SymbolAt(a)));
    }
  }
  std::vector<String> prefixes;
  for (const String& w : AllStrings(width, 5)) {
    if (w.empty() || is_prefix(w)) prefixes.push_back(w);
  }
  std::map<String, StateId> states;
  for (const String& w : prefixes) {
    const bool flips = std::find(flipped.begin(), flipped.end(), w) != flipped.end();
    states[w] = builder.AddState(complete.Accepts(w) != flips);
  }
  for (const String& w : prefixes) {
    StateId q = complete.start();
    for (const Symbol a : w) q = *complete.Next(q, a);
    for (std::size_t a = 0; a < width; ++a) {
      String longer = w;
      longer.push_back(SymbolAt(a));
      const auto found = states.find(longer);
      builder.AddTransition(states[w], SymbolAt(a),
                            found != states.end() ? found->second : *complete.Next(q, SymbolAt(a)));
    }
  }
  return std::move(builder).Build(states[String{}]);
}

TEST(LanguageDifference, ListsTheStringsIfThereAreFew) {
  const std::vector<String> all = AllStrings(2, 5);
  std::size_t listed = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    Rng rng = Rng::For(3, "few differences", i);
    const Dfa target = RandomDfa(1 + i % 5, Letters(2), 0.7, rng);
    std::vector<String> flipped;
    for (std::size_t k = 0; k < i % (kMostListed + 3); ++k) {
      const String& w = all[rng.UniformInt(std::uint64_t{all.size()})];
      if (std::find(flipped.begin(), flipped.end(), w) == flipped.end()) flipped.push_back(w);
    }
    std::sort(flipped.begin(), flipped.end(), [](const String& a, const String& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    const auto found = CompareLanguages(target, FlipStrings(target, flipped), 3).only_differs_on;
    ASSERT_EQ(found.has_value(), flipped.size() <= kMostListed) << i;
    if (!found) continue;
    EXPECT_EQ(*found, flipped) << i;
    ++listed;
  }
  EXPECT_GT(listed, 50);
}

TEST(LanguageDifference, ListsNothingIfTheStringsAreInfinitelyMany) {
  const auto listed = [](const char* target, const char* claim) {
    return CompareLanguages(CompileRegex(target), CompileRegex(claim), 3).only_differs_on;
  };
  // One string of each length, so that no length has too many.
  EXPECT_FALSE(listed("(a|b)*", "((a|b)*b(a|b)*)?"));
  EXPECT_FALSE(listed("a*b*", "a*b?"));
  EXPECT_EQ(listed("(ab)*", "(ab)+")->size(), 1);
}

TEST(LanguageDifference, GoesBeyondADouble) {
  const Dfa target = CompileRegex("(01)*");
  const LanguageDifference difference = CompareLanguages(target, CompileRegex("((0|1)*1)?"), 2'000);
  EXPECT_FALSE(difference.first_wrongly_rejected);
  EXPECT_EQ(difference.first_wrongly_accepted, String{SymbolAt(1)});
  const LengthDifference& last = difference.by_length.back();
  EXPECT_TRUE(last.wrongly_rejected.IsZero());
  EXPECT_EQ(last.members.ToDouble(), 1);
  EXPECT_NEAR(last.wrongly_accepted.Log(), 1'999 * std::log(2), 1e-9);
  EXPECT_EQ(*last.accepts_uniformly, 0.5);
  EXPECT_EQ(*last.rejects_by_paper, 0);
}

TEST(LanguageDifference, LanguageDoesNotDifferFromItself) {
  const Dfa parity = CompileRegex("(0|10*1)*");
  const LanguageDifference difference = CompareLanguages(parity, parity, 10);
  EXPECT_TRUE(difference.equal());
  for (const LengthDifference& row : difference.by_length) {
    EXPECT_TRUE(row.wrongly_rejected.IsZero() && row.wrongly_accepted.IsZero());
  }
}

// OpenFst's difference, restricted to a length, has a path for every string: the sum of weights in
// the logarithmic semiring is the logarithm of their number, printed with nine digits.
TEST(OpenFstDifference, CountsTheSame) {
  if (!Installed("fstcompile")) GTEST_SKIP() << "OpenFst's fstcompile is not installed";
  constexpr std::size_t kLength = 12;
  TemporaryDirectory directory;
  const auto run = [&](const std::string& commands) {
    const ShellResult result = RunShell("set -eo pipefail\n" + commands, directory.path());
    EXPECT_EQ(result.exit_code, 0) << result.output;
    return result.output;
  };
  const auto compile = [&](const Dfa& dfa, const std::string& name) {
    const std::string folder = directory.path().string() + "/";
    WriteFileAtomically(folder + "symbols", FormatSymbolTable(dfa.alphabet()));
    WriteFileAtomically(folder + name + ".txt", FormatAtt(dfa));
    run("fstcompile --arc_type=log64 --isymbols=symbols --osymbols=symbols " + name +
        ".txt | fstarcsort > " + name + ".fst");
  };
  const auto count = [&](const std::string& minuend, const std::string& subtrahend) {
    // The distance from the start to the end of all paths is the first line's.
    const std::string text =
        run("fstdifference " + minuend + ".fst " + subtrahend + ".fst | fstintersect - length.fst" +
            " | fstshortestdistance --reverse --delta=1e-12 | head -n 1");
    std::istringstream line(text);
    std::size_t state = 0;
    double distance = std::numeric_limits<double>::infinity();
    line >> state >> distance;
    return std::exp(-distance);
  };
  Rng rng = Rng::For(4, "difference/openfst");
  int judged = 0;
  for (int i = 0; i < 12; ++i) {
    const Dfa target = Minimize(RandomDfa(5, Letters(2), 0.9, rng));
    const Dfa claim = Minimize(RandomDfa(4, Letters(2), 0.9, rng));
    if (IsEmpty(target) || IsEmpty(claim)) continue;
    compile(target, "target");
    compile(claim, "claim");
    compile(CompileRegex("(a|b){12}"), "length");
    const LengthDifference row = CompareLanguages(target, claim, kLength).by_length.back();
    EXPECT_NEAR(count("target", "claim"), row.wrongly_rejected.ToDouble(), 1e-3);
    EXPECT_NEAR(count("claim", "target"), row.wrongly_accepted.ToDouble(), 1e-3);
    judged += row.wrongly_rejected.IsZero() ? 0 : 1;
  }
  EXPECT_GT(judged, 2);
}

}  // namespace
}  // namespace flare
