// The splits of MLRegTest (van der Poel et al. 2024; paper, Appendix F) by exact sampling, never by
// rejection: uniform over the members and over the non-members of each length, and pairs from the
// border between them.

#ifndef FLARE_DATA_MLREGTEST_H_
#define FLARE_DATA_MLREGTEST_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/automata/length_sampler.h"
#include "flare/base/rng.h"
#include "flare/data/draw.h"
#include "flare/data/flare_files.h"

namespace flare {

// The pairs (x, y) of a member x and a non-member y that are one edit of one type apart, as a
// regular language over moves: copy a symbol to both, or, exactly once, replace, insert (into y) or
// delete (from x) one. Inserting b into a run of b's gives the same y wherever in the run, so the
// move is allowed only where the next symbol is not b; the same for deleting. So every pair is one
// string of moves, and uniform over moves is uniform over pairs.
class Border {
 public:
  enum class Edit { kReplace, kInsert, kDelete };

  // Pairs with members of up to `longest` symbols. Requires: a trim DFA.
  Border(const Dfa& dfa, Edit edit, std::size_t longest);

  // Is there a pair whose member has this length?
  bool HasLength(std::size_t member_length) const;
  struct Pair {
    String member, other;
  };
  // Uniform over the pairs whose member has this length. Requires: HasLength(member_length).
  Pair Sample(std::size_t member_length, Rng& rng) const;

 private:
  // The moves of a pair whose member has n symbols: n, or n+1 if one is inserted.
  std::size_t Moves(std::size_t member_length) const;

  Edit edit_;
  std::size_t width_;  // |Σ|
  std::unique_ptr<LengthSampler> sampler_;
};

// ln p(w) of the members of a balanced split: a length uniform over those that have both members
// and non-members, then uniform over the members of that length. Throws InputError if there is
// none.
std::unique_ptr<Density> MakeBalancedDensity(const Dfa& dfa, LengthRange lengths);

// Draws as many members as non-members, uniformly, at every length of the range that has both. The
// size is shared out evenly among those lengths; the shorter ones take the remainder. Keeps a
// reference to the configuration.
std::unique_ptr<SplitDrawer> MakeBalancedDrawer(const Dfa& dfa, const SplitConfig& config);

// Pairs of a member and a non-member one edit apart, with as many members as non-members of every
// length that has both (then some member and some non-member differ in one place, because one can
// be turned into the other symbol by symbol). Neighbouring lengths n and n+1 are taken together: of
// two pairs both are replacements, or, with probability 2/3 where it is possible, one inserts (n to
// n+1) and one deletes (n+1 to n), so that the three types of edit are equally frequent. Keeps a
// reference to the configuration.
std::unique_ptr<SplitDrawer> MakeAdversarialDrawer(const Dfa& dfa, const SplitConfig& config);

// The text format: `string<TAB>TRUE|FALSE`. Symbols stand side by side if all names are single
// characters, else they are separated by spaces.
std::string FormatMlregtest(const Alphabet& alphabet, const Split& split);

}  // namespace flare

#endif  // FLARE_DATA_MLREGTEST_H_
