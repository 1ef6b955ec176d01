#include "flare/automata/length_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/automata/paper/binning_semiring.h"
#include "flare/automata/paper/pdfa.h"
#include "flare/automata/paper/semirings.h"
#include "flare/automata/paper/weight_pushing.h"
#include "flare/base/error.h"
#include "flare/languages/catalog.h"
#include "support/chi_square.h"
#include "support/random_automata.h"

namespace flare {
namespace {

// Trim DFAs of mixed shape that are not empty.
std::vector<Dfa> RandomMachines(std::size_t count) {
  std::vector<Dfa> machines;
  for (std::uint64_t i = 0; machines.size() < count; ++i) {
    Rng rng = Rng::For(0, "length-sampler-test", i);
    const std::size_t states = 1 + rng.UniformInt(std::uint64_t{7});
    Dfa dfa = Trim(RandomDfa(states, Letters(3), 0.2 + 0.7 * rng.Uniform(), rng));
    if (!IsEmpty(dfa)) machines.push_back(std::move(dfa));
  }
  return machines;
}

std::map<std::string, Dfa> BuiltinMachines() {
  std::map<std::string, Dfa> machines;
  for (const CatalogEntry& entry : Catalog()) {
    const auto language = entry.make();
    if (language->dfa() != nullptr) machines.emplace(entry.name, *language->dfa());
  }
  return machines;
}

// The paper's preparation over `Base`, transition by transition and length by length.
template <class Base>
void ExpectSameAsPushing(const Dfa& dfa, std::size_t order, double tolerance,
                         const std::string& name) {
  const BinningSemiring<Base> s(order);
  const auto pushed = PushWeights(s, LiftWeights(s, dfa));
  const LengthSampler sampler(dfa, Distribution::kPaper, order);
  EXPECT_EQ(sampler.ValidLengths({0, order}), ComputeValidLengths(s, pushed.allsum, {0, order}))
      << name;
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    const auto& transitions = pushed.wdfa.states[q].transitions;
    for (std::size_t t = 0; t < transitions.size(); ++t) {
      for (std::size_t i = 1; i <= order; ++i) {
        ASSERT_NEAR(sampler.TransitionProbability(i, dfa.FirstTransition(StateAt(q)) + t),
                    transitions[t].weight[i], tolerance)
            << name << ", state " << q << ", transition " << t << ", length " << i;
      }
    }
  }
}

TEST(LengthSampler, AgreesWithWeightPushingOnTheBuiltinDfas) {
  const auto machines = BuiltinMachines();
  EXPECT_GE(machines.size(), 7u);  // the paper's
  for (const auto& [name, dfa] : machines) {
    ExpectSameAsPushing<LogSemiring>(dfa, 40, 1e-12, name);
    ExpectSameAsPushing<RealSemiring>(dfa, 40, 1e-12, name);
  }
}

TEST(LengthSampler, AgreesWithWeightPushingOnRandomDfas) {
  for (const Dfa& dfa : RandomMachines(60)) ExpectSameAsPushing<LogSemiring>(dfa, 12, 1e-12, "");
}

// The whole of the paper's range at once, where its float16 tables went wrong.
TEST(LengthSampler, AgreesWithWeightPushingUpTo500) {
  const auto machines = BuiltinMachines();
  ExpectSameAsPushing<LogSemiring>(machines.at("even-pairs"), 500, 1e-11, "even-pairs");
  ExpectSameAsPushing<LogSemiring>(machines.at("parity"), 500, 1e-11, "parity");
}

// p(w | |w|) = p(w) / Σ p(v) over all strings of that length, by enumeration.
TEST(LengthSampler, PaperProbabilitiesAreThoseOfThePdfaConditionedOnLength) {
  for (const Dfa& dfa : RandomMachines(40)) {
    const Pdfa pdfa = Pdfa::UniformOverActions(dfa);
    const LengthSampler sampler(dfa, Distribution::kPaper, 5);
    std::vector<double> total(6, 0);
    const auto strings = AllStrings(3, 5);
    for (const String& w : strings) total[w.size()] += pdfa.Probability(w);
    std::vector<double> sum(6, 0);
    for (const String& w : strings) {
      const double p = std::exp(sampler.LogProbability(w));
      EXPECT_NEAR(p, dfa.Accepts(w) ? pdfa.Probability(w) / total[w.size()] : 0, 1e-13);
      sum[w.size()] += p;
    }
    for (std::size_t n = 0; n <= 5; ++n) {
      EXPECT_EQ(sampler.HasLength(n), total[n] > 0);
      if (sampler.HasLength(n)) EXPECT_NEAR(sum[n], 1, 1e-13);
    }
  }
}

// Numbers of strings by big integers, far beyond what can be enumerated.
TEST(LengthSampler, UniformIsOneOverTheExactCount) {
  constexpr std::size_t kOrder = 200;
  for (const Dfa& dfa : RandomMachines(20)) {
    std::vector<mpz_class> count(dfa.num_states());
    for (std::size_t q = 0; q < count.size(); ++q) count[q] = dfa.IsAccepting(StateAt(q)) ? 1 : 0;
    const LengthSampler sampler(dfa, Distribution::kUniform, kOrder);
    Rng rng = Rng::For(0, "uniform-count");
    for (std::size_t i = 0; i <= kOrder; ++i) {
      if (i > 0) {
        std::vector<mpz_class> next(count.size());
        for (std::size_t q = 0; q < count.size(); ++q) {
          for (const auto& t : dfa.TransitionsFrom(StateAt(q))) next[q] += count[Index(t.target)];
        }
        for (std::size_t q = 0; q < count.size(); ++q) {
          const auto transitions = dfa.TransitionsFrom(StateAt(q));
          for (std::size_t t = 0; t < transitions.size(); ++t) {
            if (next[q] == 0) continue;
            // A transition's probability is the share of strings that begin with it.
            mpq_class share(count[Index(transitions[t].target)], next[q]);
            share.canonicalize();
            // The bound of length_sampler.h, twice: a probability is the difference of two entries.
            const double bound = 2 * static_cast<double>(i * (3 + 1)) * 0x1p-52;
            ASSERT_NEAR(sampler.TransitionProbability(i, dfa.FirstTransition(StateAt(q)) + t),
                        share.get_d(), bound);
          }
        }
        count = next;
      }
      const mpz_class& strings = count[Index(dfa.start())];
      ASSERT_EQ(sampler.HasLength(i), strings > 0);
      if (!sampler.HasLength(i)) continue;
      String w;
      sampler.Sample(i, rng, w);
      long exponent = 0;
      const double mantissa = mpz_get_d_2exp(&exponent, strings.get_mpz_t());
      const double log_count = std::log(mantissa) + static_cast<double>(exponent) * M_LN2;
      EXPECT_NEAR(sampler.LogProbability(w), -log_count, 1e-10);
    }
  }
}

TEST(LengthSampler, OnlyDrawsMembersOfTheLengthAskedFor) {
  for (const Dfa& dfa : RandomMachines(60)) {
    for (const Distribution d : {Distribution::kPaper, Distribution::kUniform}) {
      const LengthSampler sampler(dfa, d, 60);
      Rng rng = Rng::For(0, "members");
      String w;
      for (const std::size_t n : sampler.ValidLengths({0, 60})) {
        sampler.Sample(n, rng, w);
        ASSERT_EQ(w.size(), n);
        ASSERT_TRUE(dfa.Accepts(w));
      }
    }
  }
}

// Frequencies of whole strings against the enumerated law, for both distributions, and for the
// paper's generic path as well as ours.
TEST(LengthSampler, FrequenciesFitTheLaw) {
  constexpr std::size_t kLength = 4, kDraws = 20000;
  const auto strings = AllStrings(3, kLength);
  const auto machines = RandomMachines(12);
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const Dfa& dfa = machines[m];
    for (const Distribution d : {Distribution::kPaper, Distribution::kUniform}) {
      const LengthSampler sampler(dfa, d, kLength);
      if (!sampler.HasLength(kLength)) continue;
      std::map<String, std::size_t> index;
      std::vector<double> expected;
      for (const String& w : strings) {
        if (w.size() != kLength || !dfa.Accepts(w)) continue;
        index.emplace(w, expected.size());
        expected.push_back(kDraws * std::exp(sampler.LogProbability(w)));
      }
      if (expected.size() < 2) continue;
      std::vector<std::size_t> counts(expected.size(), 0), generic(expected.size(), 0);
      const BinningSemiring<LogSemiring> s(kLength);
      const auto pushed = PushWeights(s, LiftWeights(s, dfa));
      String w;
      for (std::size_t i = 0; i < kDraws; ++i) {
        Rng rng = Rng::For(m, "frequencies", i);
        sampler.Sample(kLength, rng, w);
        ++counts[index.at(w)];
        ++generic[index.at(Sample(pushed.wdfa, kLength, rng))];
      }
      EXPECT_GT(ChiSquarePValue(counts, expected), kAlpha) << m;
      if (d == Distribution::kPaper) EXPECT_GT(ChiSquarePValue(generic, expected), kAlpha) << m;
    }
  }
}

TEST(LengthSampler, DoesNotDependOnWhichTrimDfa) {
  for (const Dfa& dfa : RandomMachines(60)) {
    const LengthSampler given(dfa, Distribution::kPaper, 8);
    const LengthSampler minimal(Minimize(dfa), Distribution::kPaper, 8);
    for (const String& w : AllStrings(3, 5)) {
      if (dfa.Accepts(w)) EXPECT_NEAR(given.LogProbability(w), minimal.LogProbability(w), 1e-12);
    }
  }
}

TEST(LengthSampler, ChoosesAmongManyTransitions) {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("s" + std::to_string(i));
  DfaBuilder b{Alphabet(names)};
  const StateId q = b.AddState(true);
  for (std::size_t a = 0; a < 100; ++a) b.AddTransition(q, SymbolAt(a), q);
  const LengthSampler sampler(std::move(b).Build(q), Distribution::kPaper, 1000);
  std::vector<std::size_t> counts(100, 0);
  String w;
  for (std::uint64_t i = 0; i < 100; ++i) {
    Rng rng = Rng::For(0, "many", i);
    sampler.Sample(1000, rng, w);
    for (const Symbol a : w) ++counts[Index(a)];
  }
  EXPECT_GT(ChiSquarePValue(counts, std::vector<double>(100, 1000)), kAlpha);
}

// What the seed 0 has always drawn: datasets must be the same bytes on every machine.
TEST(LengthSampler, DrawsTheSameStringsForEver) {
  const Dfa dyck = BuiltinMachines().at("dyck-2-3");
  const LengthSampler sampler(dyck, Distribution::kPaper, 500);
  std::uint64_t hash = 0;
  String w;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Rng rng = Rng::For(0, "golden", i);
    sampler.Sample(2 * (i % 250), rng, w);
    for (const Symbol a : w) hash = (hash ^ (Index(a) + 1)) * 0x100000001b3u;
  }
  EXPECT_EQ(hash, 9444075340190243832u);
}

TEST(LengthSampler, RefusesTablesThatWouldNotFit) {
  const Dfa dyck = BuiltinMachines().at("dyck-2-3");
  EXPECT_THROW(LengthSampler(dyck, Distribution::kPaper, std::size_t{1} << 40), InputError);
}

}  // namespace
}  // namespace flare
