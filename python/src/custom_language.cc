// A language that is defined in Python (../flarelang/custom.py), as all rooms see one.

#include <fmt/format.h>

#include <utility>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "language.h"

namespace flare::python {
namespace {

py::list Tokens(const Alphabet& alphabet, StringView w) {
  py::list tokens;
  for (const Symbol a : w) tokens.append(alphabet.Name(a));
  return tokens;
}

// The methods of the object are called with the interpreter's lock, even if ours are called
// without.
class PythonLanguage : public Language {
 public:
  PythonLanguage(py::object self, Alphabet alphabet)
      : self_(std::move(self)), alphabet_(std::move(alphabet)) {}

  const Alphabet& alphabet() const override { return alphabet_; }

  bool Contains(StringView w) const override {
    const py::gil_scoped_acquire lock;
    return py::bool_(self_.attr("contains")(Tokens(alphabet_, w)));
  }

  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override {
    return std::make_unique<Sampler>(*this, range);
  }

  void NextSymbols(StringView w, NextSymbolSets& sets) const override {
    const py::gil_scoped_acquire lock;
    const py::list answer(self_.attr("next_symbols")(Tokens(alphabet_, w)));
    if (answer.size() != w.size() + 1) {
      throw InputError("next_symbols",
                       fmt::format("{} sets for {}; expected one per prefix, {}", answer.size(),
                                   Quoted(alphabet_.Format(w)), w.size() + 1));
    }
    sets.Clear();
    for (const py::handle set : answer) {
      sets.Append();
      for (const py::handle token : set) {
        if (token.is_none()) {
          sets.AddEos();
        } else {
          sets.Add(Find(token, "next_symbols"));
        }
      }
    }
  }

 private:
  class Sampler : public PositiveSampler {
   public:
    Sampler(const PythonLanguage& language, LengthRange range)
        : language_(language), range_(range) {}

    void Sample(Rng& rng, String& w) const override {
      {
        const py::gil_scoped_acquire lock;
        const py::object random =
            py::module_::import("random").attr("Random")(py::int_(rng.Bits()));
        const py::object drawn = language_.self_.attr("sample")(random, range_.min, range_.max);
        w.clear();
        for (const py::handle token : drawn) w.push_back(language_.Find(token, "sample"));
      }
      // A mistake in a definition is found here, not in a table.
      if (!range_.Contains(w.size()) || !language_.Contains(w)) {
        throw InputError(
            "sample", fmt::format("{} is not a member of {} to {} symbols",
                                  Quoted(language_.alphabet_.Format(w)), range_.min, range_.max));
      }
    }

   private:
    const PythonLanguage& language_;
    LengthRange range_;
  };

  Symbol Find(const py::handle& token, const char* method) const {
    const std::string name = py::str(token);
    const auto symbol = alphabet_.Find(name);
    if (!symbol) throw InputError(method, fmt::format("unknown token {}", Quoted(name)));
    return *symbol;
  }

  py::object self_;
  Alphabet alphabet_;
};

}  // namespace

void BindCustomLanguage(py::module_& module) {
  module.def(
      "custom_language", [](const py::object& self, const std::string& name,
                            const std::vector<std::string>& alphabet, const std::string& code) {
        const Alphabet names(alphabet);
        if (names.size() == 0) throw InputError("alphabet", "is empty");
        const auto make = [=] {
          return NamedLanguage{.name = "python:" + name,
                               .language_class = LanguageClass::kContextSensitive,
                               .definition = "defined in Python, by code with the SHA-256 " + code,
                               .identity = "python:" + code,
                               .language = std::make_unique<PythonLanguage>(self, names)};
        };
        return BoundLanguage(make(), make);
      });
}

}  // namespace flare::python
