// OpenFst as an independent judge of hundreds of random automata and patterns at once: minimal
// automata, boolean operations, shortest strings, numbers of strings, emptiness, infinity.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "flare/automata/length_sampler.h"
#include "flare/automata/operations.h"
#include "flare/automata/paper/binning_semiring.h"
#include "flare/automata/paper/path_sums.h"
#include "flare/automata/paper/semirings.h"
#include "flare/automata/paper/wfa_operations.h"
#include "flare/automata/regex.h"
#include "flare/base/file.h"
#include "support/automaton_family.h"
#include "support/installed.h"
#include "support/member_counts.h"
#include "support/naive_natural.h"
#include "support/random_automata.h"
#include "support/shell.h"

namespace flare {
namespace {

constexpr const char* kMinimal = "fstrmepsilon | fstdeterminize | fstminimize";

class OpenFstFamily : public testing::Test {
 protected:
  void SetUp() override {
    if (!Installed("fstcompile")) GTEST_SKIP() << "OpenFst's fstcompile is not installed";
  }
  void Write(const std::string& name, const std::string& text) {
    WriteFileAtomically((directory_.path() / name).string(), text);
  }
  std::string Run(const std::string& commands) {
    const ShellResult result = RunShell("set -eo pipefail\n" + commands, directory_.path());
    EXPECT_EQ(result.exit_code, 0) << result.output;
    return result.output;
  }
  // NAME.fst, without weights, of a family's text.
  void Compile(const std::string& name, const std::string& text) {
    Write(name + ".txt", text);
    Run(
        fmt::format("fstcompile --acceptor --keep_state_numbering {0}.txt | "
                    "fstmap --map_type=rmweight > {0}.fst",
                    name));
  }
  // The members' minimal automata according to OpenFst; `fst` is a command that writes the family.
  std::vector<Dfa> TheirMinimal(const std::string& fst, std::size_t members,
                                const Alphabet& alphabet) {
    const PrintedAutomaton printed(
        Run(fmt::format("{} | {} | fstprint --acceptor", fst, kMinimal)));
    std::vector<Dfa> minimal;
    for (std::size_t i = 0; i < members; ++i) {
      minimal.push_back(printed.Behind({kFirstTag + i}, alphabet));
    }
    return minimal;
  }

  TemporaryDirectory directory_;
};

template <class Automaton>
FamilyWriter Family(const std::vector<Automaton>& members) {
  FamilyWriter family;
  for (const Automaton& member : members) family.Add(member);
  return family;
}

std::vector<Dfa> MinimalDfas(const std::vector<Nfa>& nfas) {
  std::vector<Dfa> minimal;
  for (const Nfa& nfa : nfas) {
    Effort effort("test");
    minimal.push_back(Minimize(Determinize(nfa, effort)));
  }
  return minimal;
}

Nfa ToNfa(const Dfa& dfa) {
  Nfa nfa(dfa.alphabet());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) nfa.AddState(dfa.IsAccepting(StateAt(q)));
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      nfa.AddTransition(StateAt(q), a, true, r);
    }
  }
  nfa.start = dfa.start();
  return nfa;
}

// Every other one deterministic; those that are not have ε-transitions and small minimal automata.
std::vector<Nfa> RandomNfas(const std::string& stream, std::size_t count,
                            const Alphabet& alphabet) {
  std::vector<Nfa> nfas;
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng = Rng::For(0, stream, i);
    const std::size_t states = 2 + rng.UniformInt(std::uint64_t{11});
    if (i % 2 == 0) {
      nfas.push_back(ToNfa(RandomDfa(states, alphabet, 0.6 + 0.4 * rng.Uniform(), rng)));
    } else {
      const std::size_t transitions = states + rng.UniformInt(states * alphabet.size() + 1);
      nfas.push_back(RandomNfa(states, alphabet, transitions, rng));
    }
  }
  return nfas;
}

// ∪ᵢ tagᵢ·word·Σ*, or without the star.
std::string TaggedUniverse(std::size_t members, const Alphabet& alphabet, std::size_t length,
                           bool star) {
  std::string text;
  for (std::size_t i = 0; i < members; ++i) text += fmt::format("0 1 {}\n", kFirstTag + i);
  for (std::size_t t = 0; t <= length; ++t) {
    const std::size_t target = t < length ? t + 2 : t + 1;
    if (t == length && !star) break;
    for (std::size_t a = 0; a < alphabet.size(); ++a) {
      text += fmt::format("{} {} {}\n", t + 1, target, LabelOf(SymbolAt(a)));
    }
  }
  return text + fmt::format("{}\n", length + 1);
}

// The length of the shortest member by the tropical semiring.
double ShortestLength(const Dfa& dfa) {
  const TropicalSemiring s;
  Wfa<double> weighted = Lift(s, dfa);
  for (auto& state : weighted.states) {
    for (auto& transition : state.transitions) transition.weight = 1;
  }
  return Backward(s, weighted)[Index(weighted.start)];
}

// The same, symbol by symbol backwards, in naive integers.
std::vector<NaiveNatural> NaiveCounts(const Dfa& dfa, std::size_t longest) {
  std::vector<NaiveNatural> here(dfa.num_states());
  for (std::size_t q = 0; q < here.size(); ++q) {
    if (dfa.IsAccepting(StateAt(q))) here[q] = NaiveNatural("1");
  }
  std::vector<NaiveNatural> counts{here[Index(dfa.start())]};
  for (std::size_t length = 1; length <= longest; ++length) {
    std::vector<NaiveNatural> next(dfa.num_states());
    for (std::size_t q = 0; q < here.size(); ++q) {
      for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) next[q] = next[q] + here[Index(r)];
    }
    here = std::move(next);
    counts.push_back(here[Index(dfa.start())]);
  }
  return counts;
}

// A language is infinite if and only if it has a string as long as its automaton has states, and
// then it has one shorter than twice that.
bool IsInfinite(const Dfa& minimal) {
  const std::size_t n = minimal.num_states();
  const LengthSampler sampler(minimal, Distribution::kUniform, 2 * n);
  return !sampler.ValidLengths({n, 2 * n}).empty();
}

TEST_F(OpenFstFamily, MinimalAutomataOfRandomNfasAreTheSame) {
  std::size_t states = 0, empty = 0, large = 0;
  for (const std::size_t letters : {1u, 2u, 3u, 4u}) {
    const Alphabet alphabet = Letters(letters);
    const auto nfas = RandomNfas(fmt::format("openfst/{}", letters), 100, alphabet);
    const auto ours = MinimalDfas(nfas);
    Compile("nfas", Family(nfas).text());
    const auto theirs = TheirMinimal("cat nfas.fst", nfas.size(), alphabet);
    for (std::size_t i = 0; i < nfas.size(); ++i) {
      EXPECT_EQ(ours[i], theirs[i]) << letters << " letters, automaton " << i;
      states += ours[i].num_states();
      empty += IsEmpty(ours[i]) ? 1 : 0;
      large += ours[i].num_states() > 5 ? 1 : 0;
    }
    Compile("ours", Family(ours).text());
    Run(
        fmt::format("cat nfas.fst | {} > theirs.fst; fstdeterminize ours.fst ours.det; "
                    "fstequivalent ours.det theirs.fst",
                    kMinimal));
  }
  EXPECT_GT(states, 1000u);
  EXPECT_GT(empty, 20u);
  EXPECT_GT(large, 100u);
}

TEST_F(OpenFstFamily, BooleanOperationsAreTheSame) {
  for (const std::size_t letters : {1u, 2u, 3u}) {
    const Alphabet alphabet = Letters(letters);
    const auto a = RandomNfas(fmt::format("openfst/a{}", letters), 100, alphabet);
    const auto b = RandomNfas(fmt::format("openfst/b{}", letters), 100, alphabet);
    Compile("a", Family(a).text());
    Compile("b", Family(b).text());
    Compile("universe", TaggedUniverse(a.size(), alphabet, 0, true));
    const auto both = TheirMinimal("fstarcsort b.fst | fstintersect a.fst -", a.size(), alphabet);
    const auto either = TheirMinimal("fstunion a.fst b.fst", a.size(), alphabet);
    const auto neither_a = TheirMinimal(
        fmt::format("cat a.fst | {} | fstarcsort | fstdifference universe.fst -", kMinimal),
        a.size(), alphabet);
    const auto only_a =
        TheirMinimal(fmt::format("cat b.fst | {} | fstarcsort | fstdifference a.fst -", kMinimal),
                     a.size(), alphabet);
    const auto dfas_a = MinimalDfas(a), dfas_b = MinimalDfas(b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Dfa &x = dfas_a[i], &y = dfas_b[i];
      const std::string which = fmt::format("{} letters, pair {}", letters, i);
      Effort effort("test");
      const auto complement = [&](const Dfa& dfa) { return Complement(dfa, effort); };
      const auto intersect = [&](const Dfa& p, const Dfa& q) { return Intersect(p, q, effort); };
      EXPECT_EQ(Minimize(intersect(x, y)), both[i]) << which;
      EXPECT_EQ(Minimize(complement(intersect(complement(x), complement(y)))), either[i]) << which;
      EXPECT_EQ(Minimize(complement(x)), neither_a[i]) << which;
      EXPECT_EQ(Minimize(intersect(x, complement(y))), only_a[i]) << which;
    }
  }
}

TEST_F(OpenFstFamily, ShortestStringsAreAsLong) {
  const Alphabet alphabet = Letters(2);
  const auto nfas = RandomNfas("openfst/shortest", 300, alphabet);
  const FamilyWriter family = Family(nfas);
  Write("weighted.txt", family.text());
  // State and distance to acceptance; states that do not accept have no line, or infinity.
  std::map<std::size_t, double> theirs;
  std::istringstream lines(
      Run("fstcompile --acceptor --keep_state_numbering weighted.txt | "
          "fstshortestdistance --reverse"));
  std::size_t state = 0;
  std::string distance;
  while (lines >> state) {
    std::getline(lines, distance);
    theirs[state] = distance.find("Infinity") != std::string::npos
                        ? INFINITY
                        : std::strtod(distance.c_str(), nullptr);
  }
  const auto ours = MinimalDfas(nfas);
  std::set<double> lengths;
  DfaBuilder nothing(alphabet);
  const StateId only = nothing.AddState(false);
  const Dfa empty = std::move(nothing).Build(only);
  for (std::size_t i = 0; i < nfas.size(); ++i) {
    const auto found = theirs.find(family.starts()[i]);
    const double expected = found == theirs.end() ? INFINITY : found->second;
    EXPECT_EQ(ShortestLength(ours[i]), expected) << i;
    const auto shortest = ShortestDifference(ours[i], empty);
    EXPECT_EQ(shortest ? static_cast<double>(shortest->size()) : INFINITY, expected) << i;
    EXPECT_EQ(IsEmpty(ours[i]), std::isinf(expected)) << i;
    lengths.insert(expected);
  }
  EXPECT_GE(lengths.size(), 5u);
}

TEST_F(OpenFstFamily, HasAsManyStringsOfEachLength) {
  constexpr std::size_t kLongest = 8;
  const Alphabet alphabet = Letters(3);
  const auto nfas = RandomNfas("openfst/counts", 100, alphabet);
  const auto ours = MinimalDfas(nfas);
  Compile("nfas", Family(nfas).text());
  Run(fmt::format("cat nfas.fst | {} > minimal.fst", kMinimal));
  std::vector<std::vector<mpz_class>> counts;
  for (const Dfa& dfa : ours) counts.push_back(MemberCounts(dfa, kLongest));
  for (std::size_t length = 0; length <= kLongest; ++length) {
    Write("length.txt", TaggedUniverse(nfas.size(), alphabet, length, false));
    // In the log semiring, the distance to acceptance is −ln of the number of paths.
    Run("fstcompile --acceptor length.txt | fstarcsort | fstintersect minimal.fst - | fstconnect | "
        "fstmap --map_type=to_log64 > log.fst");
    const std::string text = Run("fstprint --acceptor log.fst");
    std::map<std::size_t, double> distance;
    std::istringstream lines(Run("fstshortestdistance --reverse log.fst"));
    std::size_t state = 0;
    double value = 0;
    while (lines >> state >> value) distance[state] = value;
    const PrintedAutomaton printed(text);
    for (std::size_t i = 0; i < nfas.size(); ++i) {
      long expected = 0;
      const auto row = printed.arcs.find(printed.start);
      if (row != printed.arcs.end() && row->second.contains(kFirstTag + i)) {
        expected = std::lround(std::exp(-distance.at(row->second.at(kFirstTag + i))));
      }
      EXPECT_EQ(counts[i][length], expected) << i << ", length " << length;
    }
  }
}

TEST_F(OpenFstFamily, LargeCountsAgreeWithNaiveIntegersOnTheirAutomaton) {
  constexpr std::size_t kLongest = 150;
  const Alphabet alphabet = Letters(4);
  const auto nfas = RandomNfas("openfst/large counts", 60, alphabet);
  Compile("nfas", Family(nfas).text());
  const auto theirs = TheirMinimal("cat nfas.fst", nfas.size(), alphabet);
  std::size_t compared = 0, longest = 0;
  for (std::size_t i = 0; i < nfas.size(); ++i) {
    Effort effort("test");
    const Dfa ours = Minimize(Determinize(nfas[i], effort));
    if (ours.num_states() > 6) continue;  // ours is cubic in states and quadratic in lengths
    const auto naive = NaiveCounts(theirs[i], kLongest);
    const auto counts = MemberCounts(ours, kLongest);
    for (std::size_t n = 0; n <= kLongest; ++n) {
      ASSERT_EQ(counts[n].get_str(), naive[n].Decimal()) << i << ", length " << n;
      longest = std::max(longest, naive[n].Decimal().size());
    }
    ++compared;
  }
  EXPECT_GT(compared, 20u);
  EXPECT_GT(longest, 60u);
}

TEST(CountingSemiring, ComputesLikeAPupil) {
  const CountingSemiring s;
  for (std::uint64_t i = 0; i < 300; ++i) {
    Rng rng = Rng::For(0, "natural", i);
    const auto draw = [&] {
      std::string decimal;
      for (std::size_t n = rng.UniformInt(std::uint64_t{120}) + 1; n > 0; --n) {
        // Runs of nines make long carries.
        decimal += static_cast<char>('0' + (rng.Bit() ? 9 : rng.UniformInt(std::uint64_t{10})));
      }
      return decimal;
    };
    const std::string a = draw(), b = draw();
    EXPECT_EQ(s.Plus(mpz_class(a, 10), mpz_class(b, 10)).get_str(),
              (NaiveNatural(a) + NaiveNatural(b)).Decimal());
    EXPECT_EQ(s.Times(mpz_class(a, 10), mpz_class(b, 10)).get_str(),
              (NaiveNatural(a) * NaiveNatural(b)).Decimal());
  }
}

TEST_F(OpenFstFamily, TheSameLanguagesAreInfinite) {
  const Alphabet alphabet = Letters(2);
  const auto nfas = RandomNfas("openfst/infinite", 300, alphabet);
  const auto ours = MinimalDfas(nfas);
  std::size_t most = 0;
  for (const Dfa& dfa : ours) most = std::max(most, dfa.num_states());
  Compile("nfas", Family(nfas).text());
  Compile("long", TaggedUniverse(nfas.size(), alphabet, most, true));
  const auto long_ones =
      TheirMinimal("fstarcsort long.fst | fstintersect nfas.fst -", nfas.size(), alphabet);
  std::size_t infinite = 0;
  for (std::size_t i = 0; i < nfas.size(); ++i) {
    EXPECT_EQ(IsInfinite(ours[i]), long_ones[i].num_transitions() > 0) << i;
    infinite += IsInfinite(ours[i]) ? 1 : 0;
  }
  EXPECT_GT(infinite, 50u);
  EXPECT_LT(infinite, 250u);
}

// A pattern as text, and what makes its automaton out of others' with OpenFst's own operations. A
// pattern is built from earlier ones, so that each costs few processes.
struct Pattern {
  // From weakest to strongest.
  enum Precedence { kUnion, kIntersect, kConcat, kComplement, kRepeat, kAtom };
  std::string text;
  Precedence precedence;
  std::string file;  // of its automaton

  std::string In(Precedence least) const { return precedence < least ? "(" + text + ")" : text; }
};

class PatternFamily {
 public:
  explicit PatternFamily(const std::vector<std::string>& names)
      : alphabet_(names), prefix_(fmt::format("p{}_", names.size())) {
    // {ε}, ∅, and single symbols out of each set; ∅ is the class of none.
    AddLeaf("()", "0\n");
    for (std::size_t set = 0; set < std::size_t{1} << alphabet_.size(); ++set) {
      std::string members, others, arcs;
      for (std::size_t a = 0; a < alphabet_.size(); ++a) {
        const bool is_member = (set >> a & 1) != 0;
        (is_member ? members : others) += Written(a);
        if (is_member) arcs += fmt::format("0 1 {}\n", LabelOf(SymbolAt(a)));
      }
      const bool single = set != 0 && (set & (set - 1)) == 0;
      AddLeaf("[" + members + "]", arcs.empty() ? "0 1 0 Infinity\n" : arcs + "1\n");
      AddSame(others.empty() ? "." : "[^" + others + "]");
      if (single) AddSame(members);
    }
    commands_ += fmt::format("fstclosure {} {}all.fst\n", patterns_.back().file, prefix_);
  }

  const std::vector<Pattern>& patterns() const { return patterns_; }
  const Alphabet& alphabet() const { return alphabet_; }
  const std::string& commands() const { return commands_; }

  // Adds the next pattern, one that is short and has a small automaton.
  void Grow(Rng& rng) {
    while (true) {
      const Pattern& p = patterns_[rng.UniformInt(patterns_.size())];
      const Pattern& q = patterns_[rng.UniformInt(patterns_.size())];
      auto [pattern, commands] = Combine(p, q, rng);
      if (pattern.text.size() > 80) continue;
      if (CompileRegex(pattern.text, alphabet_.names()).num_states() > 60) continue;
      patterns_.push_back(std::move(pattern));
      commands_ += commands;
      return;
    }
  }

 private:
  struct Combined {
    Pattern pattern;
    std::string commands;
  };

  std::string Written(std::size_t a) const {
    const std::string& name = alphabet_.Name(SymbolAt(a));
    if (name.size() > 1 && static_cast<unsigned char>(name[0]) < 0x80) return "<" + name + ">";
    return std::isalnum(static_cast<unsigned char>(name[0])) != 0 ? name : "\\" + name;
  }

  std::string NewFile() const { return fmt::format("{}{}.fst", prefix_, patterns_.size()); }
  const std::string& Epsilon() const { return patterns_[0].file; }

  void AddLeaf(const std::string& text, const std::string& arcs) {
    const std::string file = NewFile();
    commands_ += fmt::format("printf '{}' | fstcompile --acceptor > {}\n",
                             std::regex_replace(arcs, std::regex("\n"), "\\n"), file);
    patterns_.push_back({text, Pattern::kAtom, file});
  }
  // Another way to write the last one.
  void AddSame(const std::string& text) {
    patterns_.push_back({text, Pattern::kAtom, patterns_.back().file});
  }

  Combined Combine(const Pattern& p, const Pattern& q, Rng& rng) const {
    using enum Pattern::Precedence;
    const std::string &x = p.file, &y = q.file, z = NewFile();
    switch (rng.UniformInt(std::uint64_t{8})) {
      case 0:
        return {{p.In(kUnion) + "|" + q.In(kUnion), kUnion, z},
                fmt::format("fstunion {} {} {}\n", x, y, z)};
      case 1:
        return {{p.In(kIntersect) + "&" + q.In(kIntersect), kIntersect, z},
                fmt::format("fstarcsort {} | fstintersect - {} {}\n", x, y, z)};
      case 2:
      case 3:
        return {{p.In(kConcat) + q.In(kConcat), kConcat, z},
                fmt::format("fstconcat {} {} {}\n", x, y, z)};
      case 4:
        return {{"~" + p.In(kComplement), kComplement, z},
                fmt::format("fstrmepsilon {} | fstdeterminize | fstarcsort | "
                            "fstdifference {}all.fst - {}\n",
                            x, prefix_, z)};
      case 5:
        return {{p.In(kRepeat) + "*", kRepeat, z}, fmt::format("fstclosure {} {}\n", x, z)};
      case 6: {
        if (rng.Bit()) {
          return {{p.In(kRepeat) + "+", kRepeat, z},
                  fmt::format("fstclosure --closure_plus {} {}\n", x, z)};
        }
        return {{p.In(kRepeat) + "?", kRepeat, z},
                fmt::format("fstunion {} {} {}\n", x, Epsilon(), z)};
      }
      default:
        return Counted(p, z, rng);
    }
  }

  // r{m}, r{m,} or r{m,n}: m copies, and then a closure or optional copies.
  Combined Counted(const Pattern& p, const std::string& z, Rng& rng) const {
    const std::size_t least = rng.UniformInt(std::uint64_t{4});
    const std::size_t more = rng.UniformInt(std::uint64_t{3});
    const bool endless = rng.UniformInt(std::uint64_t{3}) == 0;
    std::string counts = std::to_string(least), commands;
    std::vector<std::string> factors(least, p.file);
    if (endless) {
      counts += ",";
      commands += fmt::format("fstclosure {} {}.part\n", p.file, z);
      factors.push_back(z + ".part");
    } else if (more > 0) {
      counts += fmt::format(",{}", least + more);
      commands += fmt::format("fstunion {} {} {}.part\n", p.file, Epsilon(), z);
      factors.insert(factors.end(), more, z + ".part");
    }
    std::string product = factors.empty() ? Epsilon() : factors[0];
    for (std::size_t i = 1; i < factors.size(); ++i) {
      const std::string next = fmt::format("{}.{}", z, i);
      commands += fmt::format("fstconcat {} {} {}\n", product, factors[i], next);
      product = next;
    }
    return {{p.In(Pattern::kRepeat) + "{" + counts + "}", Pattern::kRepeat, product}, commands};
  }

  Alphabet alphabet_;
  std::string prefix_;  // of files
  std::vector<Pattern> patterns_;
  std::string commands_;
};

TEST_F(OpenFstFamily, PatternsAreTheSameAsOperationsOnTheirSyntaxTrees) {
  std::size_t compared = 0;
  std::set<std::string> distinct;
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"*"}, {"0", "1"}, {"#", "POP", "PUSH"}, {"(", "-", "|", "×"}}) {
    PatternFamily family(names);
    Rng rng = Rng::For(0, "openfst/patterns", names.size());
    for (std::size_t i = 0; i < 75; ++i) family.Grow(rng);
    // The family of all: tag i, then pattern i as a nonterminal.
    constexpr std::size_t kFirstNonterminal = 5'000, kRoot = 9'999;
    std::string root, parts;
    const std::size_t count = family.patterns().size();
    for (std::size_t i = 0; i < count; ++i) {
      root +=
          fmt::format("0 {} {}\n{} {} {}\n", i + 2, kFirstTag + i, i + 2, 1, kFirstNonterminal + i);
      parts += fmt::format(" {} {}", family.patterns()[i].file, kFirstNonterminal + i);
    }
    Write("root.txt", root + "1\n");
    Run(family.commands());
    const auto theirs = TheirMinimal(fmt::format("fstcompile --acceptor root.txt root.fst; "
                                                 "fstreplace --epsilon_on_replace root.fst {}{}",
                                                 kRoot, parts),
                                     count, family.alphabet());
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& text = family.patterns()[i].text;
      EXPECT_EQ(CompileRegex(text, names), theirs[i]) << text;
      distinct.insert(text);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 4 * 75 + 4 * 1 + 2 * (2 + 4 + 8 + 16) + 1 + 2 + 3 + 4);
  EXPECT_GT(distinct.size(), 320u);
}

}  // namespace
}  // namespace flare
