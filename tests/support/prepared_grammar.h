// Grammars for tests, with all that is made from them.

#ifndef FLARE_TESTS_SUPPORT_PREPARED_GRAMMAR_H_
#define FLARE_TESTS_SUPPORT_PREPARED_GRAMMAR_H_

#include <string>
#include <utility>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/grammars/grammar.h"
#include "flare/grammars/normal_form.h"
#include "flare/grammars/recognizer.h"

namespace flare {

struct Prepared {
  explicit Prepared(Grammar g)
      : grammar(std::move(g)),
        normal(Normalize(grammar, "g")),
        left_corners(normal, "g"),
        recognizer(normal, left_corners) {}
  explicit Prepared(const std::string& text) : Prepared(ParseGrammar(text, "g", {"a", "b"})) {}

  double Weight(StringView w) const {
    return InsideWeight(normal, left_corners, w, RuleWeights::kGiven).ToDouble();
  }
  double Derivations(StringView w) const {
    return InsideWeight(normal, left_corners, w, RuleWeights::kOne).ToDouble();
  }

  Grammar grammar;
  NormalForm normal;
  LeftCorners left_corners;
  Recognizer recognizer;
};

// Random grammars over a and b that have strings.
std::vector<std::string> RandomGrammars(std::size_t count);

// A_q → a A_r for every transition, A_q → ε for accepting states.
Grammar RightLinear(const Dfa& dfa);

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_PREPARED_GRAMMAR_H_
