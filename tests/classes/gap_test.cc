// GAP as a judge of monoids: sizes, Green's classes, idempotents, and which groups are solvable.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/base/file.h"
#include "flare/classes/classification.h"
#include "flare/classes/syntactic_automaton.h"
#include "flare/languages/catalog.h"
#include "support/installed.h"
#include "support/random_automata.h"
#include "support/shell.h"

namespace flare {
namespace {

// Prints "size R L D idempotents | order solvable, …" for the monoid that the letters generate; the
// groups are those of the regular D-classes that are not trivial, sorted.
constexpr const char* kGapFunctions = R"(
Describe := function(letters, degree)
  local s, d, h, l, e, image, g, groups;
  s := Monoid(List(letters, Transformation));
  groups := [];
  for d in GreensDClasses(s) do
    if IsRegularDClass(d) then
      h := GroupHClassOfGreensDClass(d);
      if Size(h) > 1 then
        l := AsList(h);
        e := First(l, x -> x * x = x);
        image := Set(List([1 .. degree], q -> q ^ e));
        g := Group(List(l, x -> PermList(List(image, q -> Position(image, q ^ x)))));
        AddSet(groups, [Size(h), IsSolvableGroup(g)]);
      fi;
    fi;
  od;
  Print(Size(s), " ", Length(GreensRClasses(s)), " ", Length(GreensLClasses(s)), " ",
        Length(GreensDClasses(s)), " ", Length(Idempotents(s)), " | ");
  for g in groups do Print(g[1], " ", g[2], ", "); od;
  Print("\n");
end;
)";

std::string OurDescription(const classes::Classification& c) {
  std::string text = fmt::format("{} {} {} {} {} | ", c.monoid.size, c.monoid.r_classes,
                                 c.monoid.l_classes, c.monoid.d_classes, c.monoid.idempotents);
  std::set<std::pair<std::size_t, bool>> groups;
  for (const auto& group : c.monoid.groups) {
    groups.insert({group.order, group.derived_series.back() == 1});
  }
  // GAP sorts true before false.
  std::vector<std::pair<std::size_t, bool>> sorted(groups.begin(), groups.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  for (const auto& [order, solvable] : sorted) text += fmt::format("{} {}, ", order, solvable);
  return text;
}

TEST(Gap, AgreesOnMonoids) {
  if (!Installed("gap")) GTEST_SKIP() << "GAP is not installed (Debian: gap-core)";
  std::vector<Dfa> automata;
  for (const CatalogEntry& entry : Catalog()) {
    const auto language = entry.make();
    if (language->dfa() != nullptr) automata.push_back(*language->dfa());
  }
  for (const char* pattern : {"((a|b){3}(ab*a|b))*", "(0|11|10(1|00)*01)*", "(a(ab)*b)*"}) {
    automata.push_back(CompileRegex(pattern));
  }
  for (std::uint64_t i = 0; i < 120; ++i) {
    Rng rng = Rng::For(3, "gap", i);
    const Dfa dfa = Minimize(RandomDfa(2 + i % 4, Letters(2), i % 2 == 0 ? 1.0 : 0.7, rng));
    if (!IsEmpty(dfa)) automata.push_back(dfa);
  }
  std::string script = kGapFunctions, expected;
  for (const Dfa& dfa : automata) {
    const classes::Classification c = classes::Classify(dfa);
    if (c.monoid.size > 600) continue;  // GAP would take minutes
    const classes::SyntacticAutomaton automaton(dfa);
    std::vector<std::string> letters;
    for (classes::Letter a = 0; a < automaton.num_letters(); ++a) {
      std::vector<std::size_t> images;
      for (classes::State q = 0; q < automaton.num_states(); ++q) {
        images.push_back(automaton.Next(q, a) + 1);
      }
      letters.push_back(fmt::format("[{}]", fmt::join(images, ",")));
    }
    script += fmt::format("Describe([{}], {});\n", fmt::join(letters, ","), automaton.num_states());
    expected += OurDescription(c) + "\n";
  }
  TemporaryDirectory directory;
  WriteFileAtomically((directory.path() / "monoids.g").string(), script + "QUIT;\n");
  const ShellResult result =
      RunShell("gap -q --nointeract monoids.g 2>/dev/null", directory.path());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, expected);
}

}  // namespace
}  // namespace flare
