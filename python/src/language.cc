#include "language.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/data/negatives.h"
#include "flare/languages/catalog.h"
#include "flare/languages/resolve.h"
#include "flare/languages/saved_language.h"
#include "interrupts.h"
#include "next_symbols.h"

namespace flare::python {
namespace {

std::size_t Count(const char* name, std::int64_t value) {
  if (value < 0) throw InputError(name, fmt::format("{} is negative", value));
  return static_cast<std::size_t>(value);
}

LengthRange Lengths(std::int64_t min, std::int64_t max) {
  const LengthRange range{Count("min_length", min), Count("max_length", max)};
  if (range.min > range.max) {
    throw InputError("min_length", fmt::format("{} is more than max_length, {}", min, max));
  }
  return range;
}

std::unique_ptr<PositiveSampler> MakeSampler(const BoundLanguage& l, LengthRange range,
                                             const std::string& distribution) {
  if (distribution == "paper") return l.language().MakeSampler(range);
  if (distribution != "uniform") {
    throw InputError("distribution",
                     fmt::format("'{}' is neither 'paper' nor 'uniform'", distribution));
  }
  const RegularLanguage* regular = l.named.regular();
  if (regular == nullptr) {
    throw InputError("distribution", fmt::format("uniform is for regular languages; {} is {}",
                                                 l.named.name, LongName(l.named.language_class)));
  }
  return regular->MakeSampler(range, Distribution::kUniform);
}

// Room for as many strings as are asked for, judged by those that are there: growing step by step
// would copy all of them again and again. There is a limit, as what is asked for may
// never come.
void Reserve(std::size_t count, std::size_t num_first, String& values) {
  constexpr double kMost = 1 << 28;
  const double mean = static_cast<double>(values.size()) / static_cast<double>(num_first);
  values.reserve(
      static_cast<std::size_t>(std::min(kMost, 1.02 * mean * static_cast<double>(count))));
}

// The strings of `flare sample`, by the same random streams.
Strings Sample(const BoundLanguage& l, std::int64_t count, std::int64_t min_length,
               std::int64_t max_length, std::uint64_t seed, bool negative,
               const std::string& distribution) {
  String values;
  std::vector<std::int64_t> offsets = {0};
  {
    const py::gil_scoped_release unlock;
    const LengthRange range = Lengths(min_length, max_length);
    const auto sampler = MakeSampler(l, range, distribution);
    const NegativeSampler negatives(l.language(), *sampler, range);
    const std::string stream = l.named.identity + (negative ? "/sample-negative" : "/sample");
    const std::size_t n = Count("n", count);
    constexpr std::size_t kFirst = 1000;
    offsets.reserve(std::min<std::size_t>(n + 1, 1 << 24));
    Interrupts interrupts;
    String w;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == kFirst) Reserve(n, kFirst, values);
      Rng rng = Rng::For(seed, stream, i);
      if (negative) {
        w = negatives.Sample(rng).w;
      } else {
        sampler->Sample(rng, w);
      }
      values.insert(values.end(), w.begin(), w.end());
      offsets.push_back(static_cast<std::int64_t>(values.size()));
      interrupts.Check();
    }
  }
  return {l.alphabet, std::move(values), std::move(offsets)};
}

// What `of` says about each string. Where that takes long, whether to continue is checked after
// every string.
template <class Element, class Of>
py::array_t<Element> ForEachString(const BoundLanguage& l, const py::object& given, bool takes_long,
                                   Of of) {
  const Strings strings = Strings::From(l.alphabet, given);
  py::array_t<Element> answers(static_cast<py::ssize_t>(strings.size()));
  Element* answer = answers.mutable_data();
  const py::gil_scoped_release unlock;
  const StringsView view = strings.View();
  Interrupts interrupts;
  for (std::size_t i = 0; i < view.size(); ++i) {
    answer[i] = of(view[i]);
    takes_long ? interrupts.CheckNow() : interrupts.Check();
  }
  return answers;
}

py::array_t<bool> Contains(const BoundLanguage& l, const py::object& strings) {
  return ForEachString<bool>(l, strings, l.language().dfa() == nullptr,
                             [&](StringView w) { return l.language().Contains(w); });
}

py::array_t<std::int64_t> EditDistances(const BoundLanguage& l, const py::object& strings) {
  const EditMetric* metric = l.language().edit_metric();
  if (metric == nullptr) {
    throw InputError("",
                     fmt::format("edit distance is for regular languages and grammars; {} is {}",
                                 l.named.name, LongName(l.named.language_class)));
  }
  return ForEachString<std::int64_t>(l, strings, true, [&](StringView w) {
    return static_cast<std::int64_t>(metric->Distance(w));
  });
}

py::array_t<double> LogProbabilities(const BoundLanguage& l, const py::object& strings,
                                     std::int64_t min_length, std::int64_t max_length,
                                     const std::string& distribution) {
  const LengthRange range = Lengths(min_length, max_length);
  const auto sampler = MakeSampler(l, range, distribution);
  const Density* density = sampler->density();
  if (density == nullptr) {
    throw InputError("", fmt::format("the probabilities of {} are not known", l.named.name));
  }
  return ForEachString<double>(l, strings, true, [&](StringView w) {
    const bool possible = range.Contains(w.size()) && l.language().Contains(w);
    return possible ? density->LogProbability(w) : -std::numeric_limits<double>::infinity();
  });
}

BoundNextSymbols NextSymbols(const BoundLanguage& l, const py::object& given) {
  const Strings strings = Strings::From(l.alphabet, given);
  NextSymbolsBuilder builder(l.alphabet->size());
  {
    const py::gil_scoped_release unlock;
    const StringsView view = strings.View();
    NextSymbolSets sets(l.alphabet->size());
    Interrupts interrupts;
    for (std::size_t i = 0; i < view.size(); ++i) {
      if (l.language().Contains(view[i])) {
        l.language().NextSymbols(view[i], sets);
        builder.Add(sets, 0, sets.size());
      } else {
        builder.AddNone();
      }
      interrupts.CheckNow();
    }
  }
  return std::move(builder).Finish();
}

// An automaton as arrays.
struct BoundDfa {
  explicit BoundDfa(const Dfa& dfa)
      : transitions({dfa.num_states(), dfa.alphabet().size()}),
        accepting(static_cast<py::ssize_t>(dfa.num_states())),
        start(Index(dfa.start())) {
    auto target = transitions.mutable_unchecked<2>();
    auto accepts = accepting.mutable_unchecked<1>();
    for (py::ssize_t q = 0; q < target.shape(0); ++q) {
      const StateId state = StateAt(static_cast<std::size_t>(q));
      accepts(q) = dfa.IsAccepting(state);
      for (py::ssize_t a = 0; a < target.shape(1); ++a) target(q, a) = -1;
      for (const auto& [symbol, next] : dfa.TransitionsFrom(state)) {
        target(q, static_cast<py::ssize_t>(Index(symbol))) = static_cast<std::int32_t>(next);
      }
    }
  }

  py::array_t<std::int32_t> transitions;
  py::array_t<bool> accepting;
  std::size_t start;
};

BoundLanguage Resolve(const py::str& given, const std::vector<std::string>& alphabet,
                      const std::optional<std::filesystem::path>& symbols, bool acceptor) {
  ResolveOptions options{.extra_symbols = alphabet, .att_acceptor = acceptor};
  if (symbols) options.att_symbols = symbols->string();
  const std::string text = TextOf(given, [] { return "text"; });
  const py::gil_scoped_release unlock;
  return BoundLanguage(ResolveLanguage(text, options));
}

std::vector<std::string> CatalogNames() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : Catalog()) names.push_back(entry.name);
  return names;
}

void BindNextSymbols(py::module_& module) {
  py::class_<BoundNextSymbols>(module, "NextSymbols",
                               "What can follow each prefix of each string that is a member.")
      .def_readonly("values", &BoundNextSymbols::values,
                    "bool: a row per prefix, a column per symbol and one for the end.")
      .def_readonly("offsets", &BoundNextSymbols::offsets,
                    "int64: the rows of string i are offsets[i]:offsets[i+1]; none if it is not a "
                    "member.")
      .def("__len__", [](const BoundNextSymbols& sets) { return sets.offsets.size() - 1; })
      .def("__getitem__",
           [](const BoundNextSymbols& sets, py::ssize_t i) {
             const py::ssize_t size = sets.offsets.size() - 1;
             if (i < -size || i >= size)
               throw py::index_error(fmt::format("{} of {} strings", i, size));
             if (i < 0) i += size;
             return sets.values[py::slice(sets.offsets.at(i), sets.offsets.at(i + 1), 1)]
                 .cast<py::object>();
           })
      .def(py::pickle(
          [](const BoundNextSymbols& sets) { return py::make_tuple(sets.values, sets.offsets); },
          [](const py::tuple& state) {
            return BoundNextSymbols{state[0].cast<py::array_t<bool>>(),
                                    state[1].cast<py::array_t<std::int64_t>>()};
          }));
  RefuseUninitialized<BoundNextSymbols>();
}

}  // namespace

BoundLanguage::BoundLanguage(NamedLanguage of, Make make)
    : named(std::move(of)),
      alphabet(std::make_shared<const Alphabet>(named.language->alphabet())),
      again(std::move(make)) {
  if (again) return;
  again = [saved = SaveLanguage(named)] { return LoadLanguage(saved, saved.text); };
}

void BindLanguage(py::module_& module) {
  BindNextSymbols(module);
  py::class_<BoundDfa>(module, "Dfa", "The minimal automaton of a regular language.")
      .def_readonly("transitions", &BoundDfa::transitions,
                    "int32, (states, symbols): the next state; -1 if there is none.")
      .def_readonly("accepting", &BoundDfa::accepting)
      .def_readonly("start", &BoundDfa::start);
  RefuseUninitialized<BoundDfa>();

  py::class_<BoundLanguage>(module, "Language", "A formal language, by its name or definition.")
      .def(py::init(&Resolve), py::arg("text"), py::kw_only(),
           py::arg("alphabet") = std::vector<std::string>{}, py::arg("symbols") = std::nullopt,
           py::arg("acceptor") = false)
      .def_property_readonly("name", [](const BoundLanguage& l) { return l.named.name; })
      .def_property_readonly("definition",
                             [](const BoundLanguage& l) { return l.named.definition; })
      .def_property_readonly(
          "language_class", [](const BoundLanguage& l) { return LongName(l.named.language_class); })
      .def_property_readonly(
          "alphabet",
          [](const BoundLanguage& l) { return py::tuple(py::cast(l.alphabet->names())); })
      .def_property_readonly("dfa",
                             [](const BoundLanguage& l) -> std::optional<BoundDfa> {
                               const Dfa* dfa = l.language().dfa();
                               if (dfa == nullptr) return std::nullopt;
                               return BoundDfa(*dfa);
                             })
      .def(
          "strings",
          [](const BoundLanguage& l, const py::object& strings) {
            return Strings::From(l.alphabet, strings);
          },
          py::arg("strings"), "A list of strings as Strings over the alphabet.")
      .def("sample", &Sample, py::arg("n"), py::kw_only(), py::arg("min_length") = 0,
           py::arg("max_length") = 40, py::arg("seed") = 0, py::arg("negative") = false,
           py::arg("distribution") = "paper", "Members, or strings that are not members.")
      .def("contains", &Contains, py::arg("strings"))
      .def("next_symbols", &NextSymbols, py::arg("strings"))
      .def("edit_distance", &EditDistances, py::arg("strings"))
      .def("log_probability", &LogProbabilities, py::arg("strings"), py::kw_only(),
           py::arg("min_length") = 0, py::arg("max_length") = 40, py::arg("distribution") = "paper",
           "Natural logarithms, under the law that `sample` draws from.")
      .def("__repr__",
           [](const BoundLanguage& l) { return fmt::format("<Language {}>", l.named.name); })
      .def(py::pickle(
          [](const BoundLanguage& l) {
            return py::make_tuple(ToJson(SaveLanguage(l.named)).dump());
          },
          [](const py::tuple& state) {
            const Json json = ParseJson(state[0].cast<std::string>(), "pickle");
            return BoundLanguage(LoadLanguage(SavedLanguageFromJson(json), "pickle"));
          }));
  RefuseUninitialized<BoundLanguage>();
  module.def("languages", &CatalogNames, "The names of the built-in languages.");
}

}  // namespace flare::python
