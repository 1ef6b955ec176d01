#include "support/prepared_grammar.h"

#include <fmt/format.h>

#include "flare/base/rng.h"
#include "support/naive_grammar.h"

namespace flare {

std::vector<std::string> RandomGrammars(std::size_t count) {
  std::vector<std::string> texts;
  for (std::uint64_t seed = 0; texts.size() < count; ++seed) {
    Rng rng = Rng::For(seed, "random-grammar");
    const std::string text = naive::RandomGrammarText(rng);
    if (!naive::StringsOf(ParseGrammar(text, "g", {"a", "b"}), 4).empty()) texts.push_back(text);
  }
  return texts;
}

Grammar RightLinear(const Dfa& dfa) {
  std::string text;
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    std::string alternatives;
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      alternatives += fmt::format("| '{}' A{} ", dfa.alphabet().Name(a), Index(r));
    }
    if (dfa.IsAccepting(StateAt(q))) alternatives += "| ";
    text += fmt::format("A{} -> {}\n", q, alternatives.substr(1));
  }
  return ParseGrammar(text, "g", dfa.alphabet().names());
}

}  // namespace flare
