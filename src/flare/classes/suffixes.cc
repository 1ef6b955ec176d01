#include <fmt/format.h>

#include <algorithm>

#include "flare/classes/class_tests.h"

namespace flare::classes {
namespace {

// Two different states that `word` keeps apart: either it brings them back (a cycle), or it is the
// longest word that keeps any two apart.
struct ApartPair {
  State p, q;
  Word word;
  bool cycle;
};

// Depth first through the pairs {p, q} of different states that count.
class PairSearch {
 public:
  PairSearch(const SyntacticAutomaton& automaton, const std::vector<std::uint8_t>& counts)
      : automaton_(automaton), counts_(counts), n_(automaton.num_states()) {}

  // Nothing if fewer than two states count.
  std::optional<ApartPair> Find() {
    height_.assign(n_ * n_, kUnseen);
    std::optional<std::size_t> best;
    for (State p = 0; p < n_; ++p) {
      for (State q = p + 1; q < n_; ++q) {
        if (counts_[p] == 0 || counts_[q] == 0) continue;
        const std::size_t pair = p * n_ + q;
        if (height_[pair] == kUnseen) {
          if (const auto cycle = Visit(pair)) return cycle;
        }
        if (!best || height_[pair] > height_[*best]) best = pair;
      }
    }
    if (!best) return std::nullopt;
    return ApartPair{First(*best), Second(*best), LongestWord(*best), false};
  }

 private:
  static constexpr std::uint32_t kUnseen = UINT32_MAX, kOpen = UINT32_MAX - 1;
  static constexpr std::size_t kApartNoMore = SIZE_MAX;

  State First(std::size_t pair) const { return static_cast<State>(pair / n_); }
  State Second(std::size_t pair) const { return static_cast<State>(pair % n_); }

  std::size_t Next(std::size_t pair, Letter a) const {
    const State p = automaton_.Next(First(pair), a), q = automaton_.Next(Second(pair), a);
    if (p == q || counts_[p] == 0 || counts_[q] == 0) return kApartNoMore;
    return std::min(p, q) * n_ + std::max(p, q);
  }

  // Gives heights, the lengths of longest words, to what is reachable from `root`; or finds a
  // cycle.
  std::optional<ApartPair> Visit(std::size_t root) {
    struct Frame {
      std::size_t pair;
      Letter letter;
    };
    std::vector<Frame> path{{root, 0}};
    height_[root] = kOpen;
    while (!path.empty()) {
      const std::size_t pair = path.back().pair;
      if (path.back().letter < automaton_.num_letters()) {
        const std::size_t to = Next(pair, path.back().letter++);
        if (to == kApartNoMore) continue;
        if (height_[to] == kOpen) {
          Word word;
          auto frame = path.end();
          do {
            --frame;
            word.push_back(frame->letter - 1);
          } while (frame->pair != to);
          std::reverse(word.begin(), word.end());
          return Closed(to, word);
        }
        if (height_[to] == kUnseen) {
          height_[to] = kOpen;
          path.push_back({to, 0});
        }
        continue;
      }
      std::uint32_t height = 0;
      for (Letter a = 0; a < automaton_.num_letters(); ++a) {
        const std::size_t to = Next(pair, a);
        if (to != kApartNoMore) height = std::max(height, height_[to] + 1);
      }
      height_[pair] = height;
      path.pop_back();
    }
    return std::nullopt;
  }

  // The word takes the pair to itself, perhaps with its states swapped: then its square does not.
  ApartPair Closed(std::size_t pair, Word word) const {
    const State p = First(pair), q = Second(pair);
    if (automaton_.Run(p, word) != p) {
      const Word once = word;
      word.insert(word.end(), once.begin(), once.end());
    }
    return {p, q, word, true};
  }

  Word LongestWord(std::size_t pair) const {
    Word word;
    while (height_[pair] > 0) {
      for (Letter a = 0; a < automaton_.num_letters(); ++a) {
        const std::size_t to = Next(pair, a);
        if (to == kApartNoMore || height_[to] + 1 != height_[pair]) continue;
        word.push_back(a);
        pair = to;
        break;
      }
    }
    return word;
  }

  const SyntacticAutomaton& automaton_;
  const std::vector<std::uint8_t>& counts_;
  std::size_t n_;
  std::vector<std::uint32_t> height_;
};

Property TooManyStates(const SyntacticAutomaton& automaton) {
  return Property::Unknown(
      fmt::format("the minimal automaton has {} states; pairs are compared up to {}",
                  automaton.num_states(), kMostStatesForPairs));
}

// xtz ∈ L and ytz ∉ L, with w for the state of the two that z rejects: ytw ∈ L.
Witness ApartWitness(const SyntacticAutomaton& automaton, const ApartPair& apart, char middle,
                     const std::string& claim, bool with_w) {
  State p = apart.p, q = apart.q;
  const State p_end = automaton.Run(p, apart.word), q_end = automaton.Run(q, apart.word);
  const Word z = automaton.Separate(p_end, q_end);
  if (!automaton.IsAccepting(automaton.Run(p_end, z))) std::swap(p, q);
  WitnessMaker maker(automaton, claim);
  maker.Add('x', automaton.Access(p))
      .Add('y', automaton.Access(q))
      .Add(middle, apart.word)
      .Add('z', z);
  const std::string t(1, middle);
  maker.Move(t, p).Move(t, q).FromStart("x" + t + "z").FromStart("y" + t + "z");
  if (with_w) {
    maker.Add('w', *automaton.PathToOutcome(automaton.Run(q, apart.word), true));
    maker.FromStart("y" + t + "w");
  }
  return maker.Take();
}

}  // namespace

Property TestDefinite(const SyntacticAutomaton& automaton) {
  if (automaton.num_states() > kMostStatesForPairs) return TooManyStates(automaton);
  const std::vector<std::uint8_t> all(automaton.num_states(), 1);
  const auto apart = PairSearch(automaton, all).Find();
  if (!apart) return Property::Yes(0);
  if (apart->cycle) {
    return Property::No(ApartWitness(automaton, *apart, 'u',
                                     "for every i, x uⁱ z is in the language and y uⁱ z is not, "
                                     "however long their common suffix",
                                     false));
  }
  return Property::Yes(apart->word.size() + 1,
                       ApartWitness(automaton, *apart, 't',
                                    fmt::format("xtz is in the language and ytz is not, with the "
                                                "same last {} symbols tz",
                                                apart->word.size()),
                                    false));
}

Property TestStrictlyLocal(const SyntacticAutomaton& automaton) {
  if (automaton.num_states() > kMostStatesForPairs) return TooManyStates(automaton);
  const auto live = automaton.CanReach(true);
  const auto apart = PairSearch(automaton, live).Find();
  if (!apart) return Property::Yes(1);
  if (apart->cycle) {
    return Property::No(
        ApartWitness(automaton, *apart, 'u',
                     "for every i, x uⁱ z and y uⁱ w are in the language and y uⁱ z "
                     "is not, though all its factors of length up to that of uⁱ are "
                     "in one of them",
                     true));
  }
  return Property::Yes(
      apart->word.size() + 2,
      ApartWitness(
          automaton, *apart, 't',
          fmt::format("|t| = {}; xtz and ytw are in the language and ytz is not, though all "
                      "its factors of length {} are in one of them",
                      apart->word.size(), apart->word.size() + 1),
          true));
}

}  // namespace flare::classes
