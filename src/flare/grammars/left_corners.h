// Left corners: what a nonterminal may begin with. Recognizing and weighing share these tables.

#ifndef FLARE_GRAMMARS_LEFT_CORNERS_H_
#define FLARE_GRAMMARS_LEFT_CORNERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "flare/grammars/normal_form.h"

namespace flare {

class LeftCorners {
 public:
  // Throws InputError with `where` if the tables would be too large.
  LeftCorners(const NormalForm& normal, const std::string& where);

  // A bit per body: those of the nonterminal, and of what can stand at its left edge.
  std::span<const std::uint64_t> Bodies(std::size_t nonterminal) const {
    return {bodies_.data() + nonterminal * body_words_, body_words_};
  }
  // A bit per symbol: those that its strings begin with.
  std::span<const std::uint64_t> First(std::size_t nonterminal) const {
    return {first_.data() + nonterminal * symbol_words_, symbol_words_};
  }
  std::size_t body_words() const { return body_words_; }
  // As many as a set of NextSymbolSets has: the bit of EOS has its place, and is 0.
  std::size_t symbol_words() const { return symbol_words_; }

 private:
  std::size_t body_words_, symbol_words_;
  std::vector<std::uint64_t> bodies_, first_;
};

}  // namespace flare

#endif  // FLARE_GRAMMARS_LEFT_CORNERS_H_
