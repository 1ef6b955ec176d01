// How fast grammars are: `make bench`. Names begin with what they bound: Recognize and Next
// (strings per second), Tables, Sample, Weigh, Distance and Difference (time).

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/extraction/difference.h"
#include "flare/grammars/grammar.h"
#include "flare/languages/context_free.h"

namespace flare {
namespace {

struct BenchGrammar {
  const char* name;
  const char* text;
};

constexpr BenchGrammar kGrammars[] = {
    {"anbn", "S -> 'a' S 'b' |"},
    {"palindromes", "S -> 'a' S 'a' | 'b' S 'b' |"},
    {"dyck-2", "S -> '(' S ')' S | '[' S ']' S |"},
    {"expressions", "E -> E '+' T | T\nT -> T '*' F | F\nF -> '(' E ')' | 'x'"},
    {"dense", "S -> S S | 'a' | 'b'"},
};

ContextFreeLanguage MakeLanguage(const BenchGrammar& grammar) {
  return ContextFreeLanguage(ParseGrammar(grammar.text, grammar.name), grammar.name);
}

std::vector<String> Members(const ContextFreeLanguage& language, LengthRange range,
                            std::size_t count) {
  const auto sampler = language.MakeSampler(range);
  std::vector<String> strings(count);
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng = Rng::For(0, "bench", i);
    sampler->Sample(rng, strings[i]);
    FLARE_CHECK(language.Contains(strings[i]));
  }
  return strings;
}

void CountStrings(benchmark::State& state, std::size_t strings) {
  state.counters["strings"] = benchmark::Counter(
      static_cast<double>(strings * static_cast<std::size_t>(state.iterations())),
      benchmark::Counter::kIsRate);
}

// Members, so that none is given up early. Bars: 20,000 strings of lengths 1..500 and 100,000 of
// lengths 1..40 per second, but for the dense grammar.
void Recognize(benchmark::State& state, const BenchGrammar& grammar) {
  const auto language = MakeLanguage(grammar);
  const auto strings = Members(language, {1, static_cast<std::size_t>(state.range(0))}, 100);
  for (auto _ : state) {
    for (const String& w : strings) benchmark::DoNotOptimize(language.Contains(w));
  }
  CountStrings(state, strings.size());
}

void Next(benchmark::State& state, const BenchGrammar& grammar) {
  const auto language = MakeLanguage(grammar);
  const auto strings = Members(language, {1, static_cast<std::size_t>(state.range(0))}, 100);
  NextSymbolSets sets(language.alphabet().size());
  for (auto _ : state) {
    for (const String& w : strings) language.NextSymbols(w, sets);
  }
  CountStrings(state, strings.size());
}

// Bar: 50 ms for lengths up to 500.
void Tables(benchmark::State& state, const BenchGrammar& grammar) {
  const auto language = MakeLanguage(grammar);
  for (auto _ : state) {
    benchmark::DoNotOptimize(language.MakeSampler({1, static_cast<std::size_t>(state.range(0))}));
  }
}

// Strings of about one length: linear in it in practice.
void Sample(benchmark::State& state, const BenchGrammar& grammar) {
  const auto language = MakeLanguage(grammar);
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto sampler = language.MakeSampler({n - 1, n});
  std::uint64_t i = 0;
  String w;
  for (auto _ : state) {
    Rng rng = Rng::For(0, "bench", i++);
    sampler->Sample(rng, w);
  }
  state.SetComplexityN(state.range(0));
}

void Weigh(benchmark::State& state, const BenchGrammar& grammar) {
  const auto language = MakeLanguage(grammar);
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto sampler = language.MakeSampler({n - 1, n});
  const auto strings = Members(language, {n - 1, n}, 10);
  for (auto _ : state) {
    for (const String& w : strings) {
      benchmark::DoNotOptimize(sampler->density()->LogProbability(w));
    }
  }
  CountStrings(state, strings.size());
}

// Random strings. Bar: 1 s for 500 symbols.
void Distance(benchmark::State& state, const BenchGrammar& grammar) {
  const auto language = MakeLanguage(grammar);
  Rng rng = Rng::For(0, "bench");
  String w(static_cast<std::size_t>(state.range(0)));
  for (Symbol& a : w) a = SymbolAt(rng.UniformInt(language.alphabet().size()));
  for (auto _ : state) benchmark::DoNotOptimize(language.edit_metric()->Distance(w));
}

// Against an automaton of ten states, all of which lead everywhere: bar, two seconds, whatever the
// lengths that are reached.
void Difference(benchmark::State& state, const BenchGrammar& grammar) {
  const auto language = MakeLanguage(grammar);
  constexpr std::size_t kStates = 10;
  Rng rng = Rng::For(0, "bench");
  DfaBuilder b(language.alphabet());
  for (std::size_t q = 0; q < kStates; ++q) b.AddState(q % 2 == 0);
  for (std::size_t q = 0; q < kStates; ++q) {
    for (std::size_t a = 0; a < language.alphabet().size(); ++a) {
      b.AddTransition(StateAt(q), SymbolAt(a), StateAt(rng.UniformInt(kStates)));
    }
  }
  const Dfa claim = std::move(b).Build(StateAt(0));
  const auto longest = static_cast<std::size_t>(state.range(0));
  std::size_t known = 0;
  for (auto _ : state) {
    known = *CompareWithGrammar(language.normal_form(), language.recognizer(), claim, longest)
                 .known_up_to;
  }
  state.counters["lengths"] = static_cast<double>(known);
}

void RegisterPerGrammar() {
  for (const BenchGrammar& grammar : kGrammars) {
    const bool is_unambiguous = MakeLanguage(grammar).is_lr1();
    const auto add = [&](const std::string& title,
                         void (*function)(benchmark::State&, const BenchGrammar&)) {
      return benchmark::RegisterBenchmark(
          (title + "/" + grammar.name).c_str(),
          [function, grammar](benchmark::State& state) { function(state, grammar); });
    };
    add("Recognize", Recognize)->Arg(40)->Arg(500)->Unit(benchmark::kMillisecond);
    add("Next", Next)->Arg(40)->Arg(500)->Unit(benchmark::kMillisecond);
    add("Tables", Tables)->Arg(500)->Unit(benchmark::kMillisecond);
    add("Sample", Sample)->Arg(100)->Arg(500)->Arg(1000)->Unit(benchmark::kMicrosecond);
    add("Weigh", Weigh)->Arg(40)->Arg(500)->Unit(benchmark::kMillisecond);
    add("Distance", Distance)->Arg(500)->Unit(benchmark::kMillisecond);
    if (is_unambiguous) {
      add("Difference", Difference)->Arg(500)->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace flare

int main(int argc, char** argv) {
  flare::RegisterPerGrammar();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
