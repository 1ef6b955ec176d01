// How fast the formal core is, each figure next to what the machine allows: `make bench`.
//
// Every benchmark checks its result besides timing it. Names begin with what they bound:
// Tables (the sampler's preparation), Sample, Recognize, EditDistance, Classify, and Limit for the
// machine's own limits, measured in the same run.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "flare/automata/length_sampler.h"
#include "flare/automata/matching.h"
#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/classes/classification.h"
#include "flare/languages/catalog.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

Dfa BuiltinDfa(const std::string& name) {
  const auto language = FindInCatalog(name)->make();
  return *language->dfa();
}

// A strongly connected random DFA with two transitions per state.
Dfa RandomDfaOfSize(std::size_t states) {
  Rng rng = Rng::For(0, "bench", states);
  DfaBuilder b(Alphabet({"a", "b"}));
  for (std::size_t q = 0; q < states; ++q) b.AddState(q % 2 == 0);
  for (std::size_t q = 0; q < states; ++q) {
    b.AddTransition(StateAt(q), "a", StateAt((q + 1) % states));
    b.AddTransition(StateAt(q), "b", StateAt(rng.UniformInt(states)));
  }
  return Trim(std::move(b).Build(StateAt(0)));
}

// Bytes of table per second and in all; the limit is Limit_WriteBytes.
void CountTable(benchmark::State& state, const LengthSampler& sampler) {
  state.counters["table_bytes"] = static_cast<double>(sampler.table_bytes());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(sampler.table_bytes()));
}

void BuildTables(benchmark::State& state, const Dfa& dfa, std::size_t max_length) {
  const LengthSampler check(dfa, Distribution::kPaper, max_length);
  FLARE_CHECK(!check.ValidLengths({0, max_length}).empty());
  for (auto _ : state) {
    const LengthSampler sampler(dfa, Distribution::kPaper, max_length);
    benchmark::DoNotOptimize(sampler.HasLength(0));
  }
  CountTable(state, check);
}

// Lengths 0..500 of every built-in DFA. Bar: 2 ms.
void Tables_500(benchmark::State& state, const std::string& name) {
  BuildTables(state, BuiltinDfa(name), 500);
}

// Linear in n, to 100,000. Bar at the end: 2 s.
void Tables_DyckByLength(benchmark::State& state) {
  BuildTables(state, BuiltinDfa("dyck-2-3"), static_cast<std::size_t>(state.range(0)));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(Tables_DyckByLength)
    ->RangeMultiplier(10)
    ->Range(100, 100000)
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMillisecond);

// Linear in |δ|, at length 100.
void Tables_RandomByTransitions(benchmark::State& state) {
  const Dfa dfa = RandomDfaOfSize(static_cast<std::size_t>(state.range(0)) / 2);
  BuildTables(state, dfa, 100);
  state.SetComplexityN(static_cast<std::int64_t>(dfa.num_transitions()));
}
BENCHMARK(Tables_RandomByTransitions)
    ->RangeMultiplier(10)
    ->Range(20, 200000)
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMillisecond);

void CountSymbols(benchmark::State& state, std::size_t symbols) {
  state.counters["symbols"] =
      benchmark::Counter(static_cast<double>(symbols), benchmark::Counter::kIsRate);
}

// Strings of lengths 0..500 as in the test split. Bar: 20 million symbols per second.
void Sample_500(benchmark::State& state, const std::string& name) {
  const auto language = FindInCatalog(name)->make();
  const auto sampler = language->MakeSampler({0, 500});
  std::size_t symbols = 0;
  std::uint64_t i = 0;
  String w;
  for (auto _ : state) {
    Rng rng = Rng::For(0, "bench", i++);
    sampler->Sample(rng, w);
    symbols += w.size();
    benchmark::DoNotOptimize(w.data());
  }
  FLARE_CHECK(language->Contains(w));
  CountSymbols(state, symbols);
}

// Members of lengths 0..500, so that no string is given up early. Bar: 200 million symbols per
// second.
void Recognize_500(benchmark::State& state, const std::string& name) {
  const auto language = FindInCatalog(name)->make();
  const auto sampler = language->MakeSampler({0, 500});
  std::vector<String> strings(200);
  std::size_t symbols = 0;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    Rng rng = Rng::For(0, "bench", i);
    sampler->Sample(rng, strings[i]);
    FLARE_CHECK(language->Contains(strings[i]));
    symbols += strings[i].size();
  }
  for (auto _ : state) {
    for (const String& w : strings) benchmark::DoNotOptimize(language->Contains(w));
  }
  CountSymbols(state, symbols * static_cast<std::size_t>(state.iterations()));
}

// Bars: 500 symbols in 1 ms, 10,000 in 50 ms.
void EditDistance_Dyck(benchmark::State& state) {
  const Dfa dfa = BuiltinDfa("dyck-2-3");
  const auto n = static_cast<std::size_t>(state.range(0));
  Rng rng = Rng::For(0, "bench");
  String w(n);
  for (Symbol& a : w) a = SymbolAt(rng.UniformInt(dfa.alphabet().size()));
  FLARE_CHECK(EditDistance(dfa, w) > n / 10);
  for (auto _ : state) benchmark::DoNotOptimize(EditDistance(dfa, w));
  CountSymbols(state, n * static_cast<std::size_t>(state.iterations()));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(EditDistance_Dyck)
    ->Arg(500)
    ->Arg(10000)
    ->Arg(100000)
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMillisecond);

// The limit of sampling: one uniform number per symbol and nothing else.
void Limit_UniformNumbers(benchmark::State& state) {
  Rng rng = Rng::For(0, "bench");
  for (auto _ : state) benchmark::DoNotOptimize(rng.Uniform());
  CountSymbols(state, static_cast<std::size_t>(state.iterations()));
}
BENCHMARK(Limit_UniformNumbers);

// The limit of recognition: loads from a small table, each of which needs the one before it.
void Limit_DependentLoads(benchmark::State& state) {
  std::vector<std::uint32_t> next(64);
  for (std::size_t i = 0; i < next.size(); ++i) {
    next[i] = static_cast<std::uint32_t>((i * 5 + 1) % next.size());
  }
  constexpr std::size_t kSteps = 4096;
  std::uint32_t at = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kSteps; ++i) at = next[at];
    benchmark::DoNotOptimize(at);
  }
  CountSymbols(state, kSteps * static_cast<std::size_t>(state.iterations()));
}
BENCHMARK(Limit_DependentLoads);

// The limit of preparation: filling as much memory as the tables of dyck-2-3 for 0..100,000 take.
void Limit_WriteBytes(benchmark::State& state) {
  const std::size_t bytes = std::size_t{28} * 100'000 * sizeof(double);
  for (auto _ : state) {
    std::vector<double> table(bytes / sizeof(double));
    benchmark::DoNotOptimize(table.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes));
}
BENCHMARK(Limit_WriteBytes)->Unit(benchmark::kMillisecond);

// All regular languages of the catalogue, one after the other. Bar: a second.
void Classify_Catalogue(benchmark::State& state) {
  std::vector<Dfa> automata;
  for (const CatalogEntry& entry : Catalog()) {
    if (entry.language_class == LanguageClass::kRegular) automata.push_back(BuiltinDfa(entry.name));
  }
  for (auto _ : state) {
    for (const Dfa& dfa : automata) {
      const auto classification = classes::Classify(dfa);
      FLARE_CHECK(classification.monoid.limit.empty());
    }
  }
}
BENCHMARK(Classify_Catalogue)->Unit(benchmark::kMillisecond);

// All that is decided without the monoid, of automata of 97 to 128 states. Bar: 50 ms each.
void Classify_WithoutMonoid(benchmark::State& state, const std::string& name) {
  const Dfa dfa = *ResolveLanguage(name).language->dfa();
  for (auto _ : state) {
    const auto classification = classes::Classify(dfa, {.max_elements = 2});
    FLARE_CHECK(classification.At("r_g").holds && classification.At("c_rasp").holds);
  }
}
BENCHMARK_CAPTURE(Classify_WithoutMonoid, brackets, "dyck-3-4")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Classify_WithoutMonoid, factor, "regex:.*(ab){48}.*")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Classify_WithoutMonoid, suffix, "regex:(a|b)*a(a|b){6}")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Classify_WithoutMonoid, random, "random:states=100,symbols=4,seed=3")
    ->Unit(benchmark::kMillisecond);

// Brackets of depth at most 107: maps of 109 states, 425,755 of them. Bar for 250,000: 3 s, 1 GB.
void Classify_LargeMonoid(benchmark::State& state) {
  const auto language = ResolveLanguage("dyck-1-107");
  for (auto _ : state) {
    const auto classification = classes::Classify(*language.language->dfa());
    FLARE_CHECK(classification.num_states == 109 && classification.monoid.size == 425'755);
  }
}
BENCHMARK(Classify_LargeMonoid)->Unit(benchmark::kMillisecond)->Iterations(3);

void RegisterPerLanguage() {
  for (const CatalogEntry& entry : Catalog()) {
    if (entry.language_class != LanguageClass::kRegular) continue;
    const std::string& name = entry.name;
    const auto add = [&](const std::string& title,
                         void (*function)(benchmark::State&, const std::string&)) {
      return benchmark::RegisterBenchmark(
          (title + "/" + name).c_str(),
          [function, name](benchmark::State& state) { function(state, name); });
    };
    add("Tables_500", Tables_500)->Unit(benchmark::kMillisecond);
    add("Sample_500", Sample_500);
    add("Recognize_500", Recognize_500);
  }
}

}  // namespace
}  // namespace flare

int main(int argc, char** argv) {
  flare::RegisterPerLanguage();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
