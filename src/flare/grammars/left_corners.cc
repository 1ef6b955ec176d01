#include "flare/grammars/left_corners.h"

#include <fmt/format.h>

#include "flare/automata/operations.h"
#include "flare/base/error.h"

namespace flare {
namespace {

constexpr std::size_t kMostPredictionWords = std::size_t{1} << 24;

void SetBit(std::uint64_t* words, std::size_t bit) {
  words[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

}  // namespace

LeftCorners::LeftCorners(const NormalForm& normal, const std::string& where)
    : body_words_(normal.bodies.size() / 64 + 1), symbol_words_(normal.alphabet.size() / 64 + 1) {
  const std::size_t n = normal.num_nonterminals();
  if (n > kMostPredictionWords / (body_words_ + symbol_words_)) {
    throw InputError(where, fmt::format("the grammar is too large: {} nonterminals with {} bodies "
                                        "and {} symbols",
                                        n, normal.bodies.size(), normal.alphabet.size()));
  }
  bodies_.resize(n * body_words_);
  first_.resize(n * symbol_words_);
  std::vector<std::vector<std::size_t>> corners(n);
  for (std::size_t a = 0; a < n; ++a) {
    for (const auto& rule : normal.bodies_of[a]) {
      SetBit(&bodies_[a * body_words_], rule.body);
      const GrammarSymbol left = normal.bodies[rule.body].left;
      if (normal.IsTerminal(left)) {
        SetBit(&first_[a * symbol_words_], Index(left));
      } else {
        corners[a].push_back(normal.NonterminalIndex(left));
      }
    }
    for (const auto& rule : normal.terminals_of[a]) {
      SetBit(&first_[a * symbol_words_], Index(rule.terminal));
    }
  }
  // What a component leads to is complete before it; within one, all have the same.
  const auto add = [&](std::size_t to, std::size_t from) {
    for (std::size_t i = 0; i < body_words_; ++i) {
      bodies_[to * body_words_ + i] |= bodies_[from * body_words_ + i];
    }
    for (std::size_t i = 0; i < symbol_words_; ++i) {
      first_[to * symbol_words_ + i] |= first_[from * symbol_words_ + i];
    }
  };
  for (const auto& component : StrongComponents(corners)) {
    for (const std::size_t a : component) {
      add(component.front(), a);
      for (const std::size_t b : corners[a]) add(component.front(), b);
    }
    for (const std::size_t a : component) add(a, component.front());
  }
}

}  // namespace flare
