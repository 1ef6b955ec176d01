#include "language.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "dfa.h"
#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "flare/data/negatives.h"
#include "flare/languages/catalog.h"
#include "flare/languages/combine.h"
#include "flare/languages/envelope.h"
#include "flare/languages/source.h"
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

// Of one string, a text or a list of tokens.
bool ContainsOne(const BoundLanguage& l, const py::object& string) {
  py::list one;
  one.append(string);
  const Strings strings = Strings::From(l.alphabet, one);
  const py::gil_scoped_release unlock;
  return l.language().Contains(strings.At(0));
}

// An answer for a text; an array of answers for many strings.
py::object Contains(const BoundLanguage& l, const py::object& strings) {
  if (py::isinstance<py::str>(strings)) return py::bool_(ContainsOne(l, strings));
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

template <char operation>
BoundLanguage Combine(const BoundLanguage& l, const BoundLanguage& m) {
  const py::gil_scoped_release unlock;
  return BoundLanguage(Combined(l.named, operation, m.named));
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

BoundLanguage Resolve(const py::str& given, const std::vector<std::string>& alphabet,
                      const std::optional<std::filesystem::path>& symbols, bool acceptor,
                      bool generators, const std::optional<std::string>& envelope) {
  ResolveOptions options{.extra_symbols = alphabet,
                         .att_acceptor = acceptor,
                         .generators = generators,
                         .envelope = envelope};
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
                               R"(What can follow each prefix of each string that is a member.

>>> sets = fl.Language("regex:ab").next_symbols(["a b", "b"])
>>> sets
<NextSymbols of 2 strings, 3 prefixes>
>>> sets[0][0].tolist()                              # after nothing: a, neither b nor the end
[True, False, False]
)")
      .def_readonly("values", &BoundNextSymbols::values,
                    "bool: a row per prefix, a column per symbol and one for the end.")
      .def_readonly("offsets", &BoundNextSymbols::offsets,
                    "int64: the rows of string i are offsets[i]:offsets[i+1]; none if it is not a "
                    "member.")
      .def("__len__", [](const BoundNextSymbols& sets) { return sets.offsets.size() - 1; })
      .def("__repr__",
           [](const BoundNextSymbols& sets) {
             return fmt::format(
                 "<NextSymbols of {}, {} prefixes>",
                 Counted(static_cast<std::size_t>(sets.offsets.size()) - 1, "string"),
                 sets.values.shape(0));
           })
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

BoundDfa::BoundDfa(const Dfa& of)
    : dfa(std::make_shared<const Dfa>(of)),
      transitions({of.num_states(), of.alphabet().size()}),
      accepting(static_cast<py::ssize_t>(of.num_states())),
      start(Index(of.start())) {
  auto target = transitions.mutable_unchecked<2>();
  auto accepts = accepting.mutable_unchecked<1>();
  for (py::ssize_t q = 0; q < target.shape(0); ++q) {
    const StateId state = StateAt(static_cast<std::size_t>(q));
    accepts(q) = of.IsAccepting(state);
    for (py::ssize_t a = 0; a < target.shape(1); ++a) target(q, a) = -1;
    for (const auto& [symbol, next] : of.TransitionsFrom(state)) {
      target(q, static_cast<py::ssize_t>(Index(symbol))) = static_cast<std::int32_t>(next);
    }
  }
}

BoundLanguage::BoundLanguage(NamedLanguage of, Make make)
    : named(std::move(of)),
      alphabet(std::make_shared<const Alphabet>(named.language->alphabet())),
      again(std::move(make)) {
  if (again) return;
  again = [saved = SaveLanguage(named)] { return LoadLanguage(saved, saved.text); };
}

void BindLanguage(py::module_& module) {
  BindNextSymbols(module);
  py::class_<BoundDfa>(module, "Dfa", R"(The minimal automaton of a regular language.

>>> dfa = fl.Language("parity").dfa
>>> dfa.transitions.tolist(), dfa.accepting.tolist(), dfa.start
([[0, 1], [1, 0]], [False, True], 0)
>>> dfa
<Dfa, 2 states, 4 transitions>
)")
      .def_readonly("transitions", &BoundDfa::transitions,
                    "int32, (states, symbols): the next state; -1 if there is none.")
      .def_readonly("accepting", &BoundDfa::accepting, "bool: is a state accepting?")
      .def_readonly("start", &BoundDfa::start, "The state in which every string begins.")
      .def_property_readonly(
          "alphabet",
          [](const BoundDfa& automaton) {
            return py::tuple(py::cast(automaton.dfa->alphabet().names()));
          },
          "The symbols, in the order of the columns of `transitions`.")
      .def("__len__", [](const BoundDfa& automaton) { return automaton.dfa->num_states(); })
      .def("__repr__", [](const BoundDfa& automaton) {
        return fmt::format("<Dfa, {}, {}>", Counted(automaton.dfa->num_states(), "state"),
                           Counted(automaton.dfa->num_transitions(), "transition"));
      });
  RefuseUninitialized<BoundDfa>();

  py::class_<BoundLanguage>(module, "Language", R"(A formal language, by its name or definition.

`text` is a name of `fl.languages()` or a definition such as regex:PATTERN, att:FILE, cfg:FILE or
command:FILE. `alphabet` names symbols besides those that a definition mentions, `symbols` is the
symbol table of an att: file, `acceptor` says that its lines of four fields end in a weight,
`generators` takes a group's generators as symbols instead of all elements, and `envelope` is a
pattern of the strings that have the format of members.

Regular languages combine: &, |, - and ~ are intersection, union, difference and complement, and
`reversed` reads every member backwards.

>>> no_11 = fl.Language("regex:(0|10)*1?")
>>> "0 1 0" in no_11, "1 1" in no_11
(True, False)
>>> odd = no_11 & fl.Language("parity")
>>> odd.contains(["1", "1 0 1", "0 1"]).tolist()
[True, False, True]
>>> odd
<Language combine:{regex:(0|10)*1?} & {parity}>
)")
      .def(py::init(&Resolve), py::arg("text"), py::kw_only(),
           py::arg("alphabet") = std::vector<std::string>{}, py::arg("symbols") = std::nullopt,
           py::arg("acceptor") = false, py::arg("generators") = false,
           py::arg("envelope") = std::nullopt)
      .def_property_readonly(
          "name", [](const BoundLanguage& l) { return l.named.name; }, "As it was written.")
      .def_property_readonly(
          "definition", [](const BoundLanguage& l) { return l.named.definition; }, "In words.")
      .def_property_readonly(
          "language_class", [](const BoundLanguage& l) { return LongName(l.named.language_class); },
          "Where it is known to be in the Chomsky hierarchy.")
      .def_property_readonly(
          "alphabet",
          [](const BoundLanguage& l) { return py::tuple(py::cast(l.alphabet->names())); },
          "The symbols, in the order in which strings number them.")
      .def_property_readonly(
          "envelope", [](const BoundLanguage& l) { return EnvelopeOf(l.named); },
          "A pattern of the strings that have the format of members; empty if none is known.")
      .def_property_readonly(
          "dfa",
          [](const BoundLanguage& l) -> std::optional<BoundDfa> {
            const Dfa* dfa = l.language().dfa();
            if (dfa == nullptr) return std::nullopt;
            return BoundDfa(*dfa);
          },
          "The minimal automaton; None if the language is not regular.")
      .def(
          "strings",
          [](const BoundLanguage& l, const py::object& strings) {
            return Strings::From(l.alphabet, strings);
          },
          py::arg("strings"), R"(A list of strings as Strings over the alphabet.

>>> fl.Language("parity").strings(["0 1", ""]).lengths.tolist()
[2, 0]
)")
      .def("sample", &Sample, py::arg("n"), py::kw_only(), py::arg("min_length") = 0,
           py::arg("max_length") = 40, py::arg("seed") = 0, py::arg("negative") = false,
           py::arg("distribution") = "paper",
           R"(Members, or strings that are not members, as `flare sample` draws them.

`distribution` is "paper" (the length uniformly, then by the language's own law) or "uniform" (all
strings of a length alike, for regular languages).

>>> strings = fl.Language("parity").sample(3, max_length=4, seed=1)
>>> fl.Language("parity").contains(strings).tolist()
[True, True, True]
)")
      .def(
          "contains", &Contains, py::arg("strings"),
          R"(Does the language have the strings? One answer for one text, an array for many strings.

>>> fl.Language("parity").contains("0 1")
True
>>> fl.Language("parity").contains(["0 1", ["1", "1"]]).tolist()
[True, False]
)")
      .def("__contains__", &ContainsOne, py::arg("string"))
      .def("__and__", &Combine<'&'>, py::is_operator())
      .def("__or__", &Combine<'|'>, py::is_operator())
      .def("__sub__", &Combine<'-'>, py::is_operator())
      .def(
          "__invert__", [](const BoundLanguage& l) { return BoundLanguage(ComplementOf(l.named)); },
          py::call_guard<py::gil_scoped_release>())
      .def(
          "reversed", [](const BoundLanguage& l) { return BoundLanguage(ReversalOf(l.named)); },
          py::call_guard<py::gil_scoped_release>(), R"(Every member, read backwards.

>>> "1 0" in fl.Language("regex:01*").reversed()
True
)")
      .def("next_symbols", &NextSymbols, py::arg("strings"),
           R"(What can follow each prefix of each member, from the empty prefix.

>>> fl.Language("regex:ab").next_symbols(["a b"])[0].tolist()      # columns a, b, end
[[True, False, False], [False, True, False], [False, False, True]]
)")
      .def("edit_distance", &EditDistances, py::arg("strings"),
           R"(The least number of edits that make each string a member.

>>> fl.Language("regex:(0|10)*1?").edit_distance(["1 1 1"]).tolist()
[1]
)")
      .def("log_probability", &LogProbabilities, py::arg("strings"), py::kw_only(),
           py::arg("min_length") = 0, py::arg("max_length") = 40, py::arg("distribution") = "paper",
           R"(Natural logarithms, under the law that `sample` draws from.

>>> fl.Language("parity").log_probability(["1 1"]).tolist()
[-inf]
)")
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
  module.def("languages", &CatalogNames, R"(The names of the built-in languages.

>>> "parity" in fl.languages()
True
)");
}

}  // namespace flare::python
