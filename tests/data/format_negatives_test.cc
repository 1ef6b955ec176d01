#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flare/automata/regex.h"
#include "flare/data/baselines.h"
#include "flare/data/negatives.h"
#include "flare/languages/envelope.h"
#include "flare/languages/source.h"
#include "support/chi_square.h"
#include "support/paths.h"
#include "support/random_automata.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

// envelope ∖ language with lengths in the range, by enumeration.
std::map<std::size_t, std::vector<String>> Difference(const NamedLanguage& language,
                                                      LengthRange range) {
  const Dfa envelope = *EnvelopeAutomaton(language);
  std::map<std::size_t, std::vector<String>> strings;
  for (const String& w : AllStrings(language.language->alphabet().size(), range.max)) {
    if (range.Contains(w.size()) && envelope.Accepts(w) && !language.language->Contains(w)) {
      strings[w.size()].push_back(w);
    }
  }
  return strings;
}

// A length uniform over those that there are, then a uniform string; for regular languages, and for
// others where no length is nearly all members.
TEST(FormatNegatives, AreUniformOverTheFormatWithoutTheLanguage) {
  for (const char* name : {"parity", "tomita-2", "marked-reversal", "regex:(aab|c)*"}) {
    const NamedLanguage language = ResolveLanguage(name);
    const LengthRange range{0, 7};
    const auto expected_strings = Difference(language, range);
    const FormatNegatives negatives(language, range, 10'000, Distribution::kUniform);
    std::map<String, std::size_t> drawn;
    constexpr std::size_t kDraws = 20'000;
    String w;
    for (std::size_t i = 0; i < kDraws; ++i) {
      Rng rng = Rng::For(3, name, i);
      negatives.Sample(rng, w);
      ++drawn[w];
    }
    std::vector<std::size_t> observed;
    std::vector<double> expected;
    std::size_t counted = 0;
    for (const auto& [length, strings] : expected_strings) {
      for (const String& v : strings) {
        observed.push_back(drawn[v]);
        counted += drawn[v];
        expected.push_back(static_cast<double>(kDraws) /
                           static_cast<double>(expected_strings.size() * strings.size()));
      }
    }
    EXPECT_EQ(counted, kDraws) << name;
    EXPECT_GT(ChiSquarePValue(observed, expected), kAlpha) << name;
  }
}

TEST(FormatNegatives, NeedAFormatWithOtherStrings) {
  const auto refusal = [](const std::string& text) {
    return RefusalOf([&] {
      FormatNegatives(ResolveLanguage(text), {0, 20}, 10'000, Distribution::kPaper);
    });
  };
  EXPECT_EQ(refusal("even-length"), "");
  EXPECT_EQ(refusal("regex:([ab]{2})*"),
            "negatives.kind: every string of the format (.{2})* with a length in [0, 20] is a "
            "member");
}

// By format alone, everything is a member.
TEST(FormatNegatives, MakeTheFormatWorthNothing) {
  const TemporaryDirectory directory;
  const ShellResult result = RunShell(
      FlareProgram() +
          " generate --out d cycle-navigation marked-copy --set negatives.kind=format "
          "--set splits.train.size=300 --set splits.test.size=100 --set splits.test.max_length=60",
      directory.path());
  ASSERT_EQ(result.exit_code, 0) << result.output;
  for (const char* name : {"cycle-navigation", "marked-copy"}) {
    const fs::path dataset = directory.path() / "d" / name;
    for (const BaselineRow& row : ComputeBaselines(dataset, FindDatasetLanguage(dataset)).rows) {
      if (row.split == "test-edit-distance") continue;
      EXPECT_NEAR(*row.format_only, 0.5, 0.15) << name << " " << row.split;
    }
  }
  const ShellResult verified = RunShell(FlareProgram() + " verify d/*", directory.path());
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
}

}  // namespace
}  // namespace flare
