#include "flare/data/mlregtest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {
namespace {

// Replacement has |Σ|² moves, each of which is a symbol with a name.
constexpr std::size_t kWidestAlphabet = 1'000;

// Moves are numbered: copying symbol a is a; the edit e is |Σ| + e, where e is a·|Σ| + b for
// replacing a by b, and the symbol itself for inserting or deleting it.
Alphabet MoveAlphabet(std::size_t width, std::size_t edits) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < width + edits; ++i) names.push_back(fmt::format("{:08}", i));
  return Alphabet(std::move(names));
}

// Builds the automaton of moves breadth first. Before the edit both strings are the same, hence in
// the same state; after it they are in a pair of states, with perhaps a symbol that cannot be next.
class BorderBuilder {
 public:
  BorderBuilder(const Dfa& complete, Border::Edit edit)
      : dfa_(complete),
        edit_(edit),
        width_(complete.alphabet().size()),
        builder_(MoveAlphabet(width_, edit == Border::Edit::kReplace ? width_ * width_ : width_)) {}

  Dfa Build() && {
    const StateId start = StateOf({dfa_.start(), dfa_.start(), false, {}});
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Name name = names_[i];
      CheckSize();
      for (std::size_t a = 0; a < width_; ++a) {
        if (name.forbidden == SymbolAt(a)) continue;
        const StateId p = Step(name.member, a), q = Step(name.other, a);
        Arc(StateAt(i), SymbolAt(a), StateOf({p, q, name.edited, {}}));
      }
      if (!name.edited) AddEdits(StateAt(i), name.member);
    }
    return Trim(std::move(builder_).Build(start));
  }

 private:
  struct Name {
    StateId member, other;
    bool edited;
    std::optional<Symbol> forbidden;
    // clang-tidy 14 takes the 0 that results are compared with for a null pointer.
    auto operator<=>(const Name&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  // Pairs of states are many, and so are replacements.
  void CheckSize() const {
    if (names_.size() + num_transitions_ <= Effort::kLargest) return;
    throw InputError("", fmt::format("adversarial pairs need an automaton of over {} states and "
                                     "transitions for a language of {} states and {} symbols",
                                     Effort::kLargest, dfa_.num_states(), width_));
  }

  StateId Step(StateId q, std::size_t a) const { return *dfa_.Next(q, SymbolAt(a)); }

  void Arc(StateId from, Symbol move, StateId to) {
    builder_.AddTransition(from, move, to);
    ++num_transitions_;
  }

  StateId StateOf(const Name& name) {
    const auto [entry, is_new] = ids_.try_emplace(name);
    if (is_new) {
      entry->second = builder_.AddState(name.edited && dfa_.IsAccepting(name.member) &&
                                        !dfa_.IsAccepting(name.other));
      names_.push_back(name);
    }
    return entry->second;
  }

  void AddEdits(StateId from, StateId q) {
    for (std::size_t a = 0; a < width_; ++a) {
      switch (edit_) {
        case Border::Edit::kReplace:
          for (std::size_t b = 0; b < width_; ++b) {
            if (a == b) continue;
            Arc(from, SymbolAt(width_ + a * width_ + b),
                StateOf({Step(q, a), Step(q, b), true, {}}));
          }
          break;
        case Border::Edit::kInsert:
          Arc(from, SymbolAt(width_ + a), StateOf({q, Step(q, a), true, SymbolAt(a)}));
          break;
        case Border::Edit::kDelete:
          Arc(from, SymbolAt(width_ + a), StateOf({Step(q, a), q, true, SymbolAt(a)}));
          break;
      }
    }
  }

  const Dfa& dfa_;
  Border::Edit edit_;
  std::size_t width_;
  DfaBuilder builder_;
  std::size_t num_transitions_ = 0;
  std::map<Name, StateId> ids_;
  std::vector<Name> names_;
};

// Shares `total` out over `parts`, as evenly as possible, the first ones taking what is left over.
std::vector<std::size_t> Shares(std::size_t total, std::size_t parts) {
  std::vector<std::size_t> shares(parts, total / parts);
  for (std::size_t i = 0; i < total % parts; ++i) ++shares[i];
  return shares;
}

Rng OrderRng(std::uint64_t seed, const std::string& stream) {
  return Rng::For(seed, stream + "/order");
}

[[noreturn]] void ThrowNothingFits(LengthRange range) {
  throw InputError("", fmt::format("no length in [{}, {}] has both members and non-members",
                                   range.min, range.max));
}

}  // namespace

Border::Border(const Dfa& dfa, Edit edit, std::size_t longest)
    : edit_(edit), width_(dfa.alphabet().size()) {
  if (width_ > kWidestAlphabet) {
    throw InputError("", fmt::format("adversarial pairs are for alphabets of up to {} symbols",
                                     kWidestAlphabet));
  }
  Effort effort("");
  const Dfa complete = Complete(dfa, effort);
  sampler_ = std::make_unique<LengthSampler>(BorderBuilder(complete, edit).Build(),
                                             Distribution::kUniform, longest + 1);
}

std::size_t Border::Moves(std::size_t member_length) const {
  return member_length + (edit_ == Edit::kInsert ? 1 : 0);
}

bool Border::HasLength(std::size_t member_length) const {
  return sampler_->HasLength(Moves(member_length));
}

Border::Pair Border::Sample(std::size_t member_length, Rng& rng) const {
  String moves;
  sampler_->Sample(Moves(member_length), rng, moves);
  Pair pair;
  for (const Symbol move : moves) {
    if (Index(move) < width_) {
      pair.member.push_back(move);
      pair.other.push_back(move);
      continue;
    }
    const std::size_t edit = Index(move) - width_;
    switch (edit_) {
      case Edit::kReplace:
        pair.member.push_back(SymbolAt(edit / width_));
        pair.other.push_back(SymbolAt(edit % width_));
        break;
      case Edit::kInsert:
        pair.other.push_back(SymbolAt(edit));
        break;
      case Edit::kDelete:
        pair.member.push_back(SymbolAt(edit));
        break;
    }
  }
  return pair;
}

namespace {

Dfa ComplementOf(const Dfa& dfa) {
  Effort effort("");
  return Complement(dfa, effort);
}

// Uniform sampling of members and of non-members, and the lengths that have both.
struct BothSides {
  BothSides(const Dfa& dfa, LengthRange range)
      : members(dfa, Distribution::kUniform, range.max),
        others(ComplementOf(dfa), Distribution::kUniform, range.max) {
    for (std::size_t n = range.min; n <= range.max; ++n) {
      if (members.HasLength(n) && others.HasLength(n)) lengths.push_back(n);
    }
    if (lengths.empty()) ThrowNothingFits(range);
  }
  LengthSampler members, others;
  std::vector<std::size_t> lengths;
};

class BalancedDensity : public Density {
 public:
  BalancedDensity(const Dfa& dfa, LengthRange range) : sides_(dfa, range) {}
  double LogProbability(StringView w) const override {
    return sides_.members.LogProbability(w) - std::log(static_cast<double>(sides_.lengths.size()));
  }

 private:
  BothSides sides_;
};

}  // namespace

std::unique_ptr<Density> MakeBalancedDensity(const Dfa& dfa, LengthRange lengths) {
  return std::make_unique<BalancedDensity>(dfa, lengths);
}

namespace {

class BalancedDrawer : public SplitDrawer {
 public:
  BalancedDrawer(const Dfa& dfa, const SplitConfig& config)
      : config_(config), sides_(dfa, config.lengths) {}

  void Draw(std::uint64_t seed, const std::string& stream, Split& split) const override {
    const std::vector<std::size_t>& lengths = sides_.lengths;
    struct Slot {
      std::size_t length;
      bool label;
    };
    std::vector<Slot> slots;
    const auto shares = Shares(config_.size / 2, lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      for (std::size_t k = 0; k < shares[i]; ++k) {
        slots.push_back({lengths[i], true});
        slots.push_back({lengths[i], false});
      }
    }
    Rng order = OrderRng(seed, stream);
    order.Shuffle(slots);

    split.Clear();
    String w;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      Rng rng = Rng::For(seed, stream, i);
      (slots[i].label ? sides_.members : sides_.others).Sample(slots[i].length, rng, w);
      split.Add(w, slots[i].label);
      if (!slots[i].label) split.num_edits.emplace_back();
    }
  }

 private:
  const SplitConfig& config_;
  BothSides sides_;
};

class AdversarialDrawer : public SplitDrawer {
 public:
  AdversarialDrawer(const Dfa& dfa, const SplitConfig& config)
      : config_(config),
        replace_(dfa, Border::Edit::kReplace, config.lengths.max),
        insert_(dfa, Border::Edit::kInsert, config.lengths.max),
        erase_(dfa, Border::Edit::kDelete, config.lengths.max) {
    const std::size_t longest = config.lengths.max;
    for (std::size_t n = config.lengths.min; n <= longest; n += 2) {
      const bool same = replace_.HasLength(n), same_next = n < longest && replace_.HasLength(n + 1);
      if (same && same_next) {
        units_.push_back({.length = n,
                          .two_lengths = true,
                          .can_cross = insert_.HasLength(n) && erase_.HasLength(n + 1)});
      } else if (same || same_next) {
        units_.push_back({.length = same ? n : n + 1});
      }
    }
    if (units_.empty()) ThrowNothingFits(config.lengths);
  }

  void Draw(std::uint64_t seed, const std::string& stream, Split& split) const override {
    struct Slot {
      const Border* border;
      std::size_t member_length;
    };
    std::vector<Slot> slots;
    const std::size_t pairs = config_.size / 2;
    Rng order = OrderRng(seed, stream);
    while (slots.size() < pairs) {
      const std::size_t before = slots.size();
      for (const Unit& unit : units_) {
        if (slots.size() + unit.pairs() > pairs) continue;
        const bool cross = unit.can_cross && order.UniformInt(std::uint64_t{3}) != 0;
        if (cross) {
          slots.push_back({&insert_, unit.length});
          slots.push_back({&erase_, unit.length + 1});
        } else {
          for (std::size_t i = 0; i < unit.pairs(); ++i) {
            slots.push_back({&replace_, unit.length + i});
          }
        }
      }
      if (slots.size() == before) {
        throw InputError("", fmt::format("{} pairs cannot be shared out over its lengths", pairs),
                         "pairs of neighbouring lengths come two at a time: choose an even number");
      }
    }
    order.Shuffle(slots);

    split.Clear();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      Rng rng = Rng::For(seed, stream, i);
      const Border::Pair pair = slots[i].border->Sample(slots[i].member_length, rng);
      split.Add(pair.member, true);
      split.Add(pair.other, false);
      split.num_edits.emplace_back(1);
    }
  }

 private:
  // A unit of drawing that keeps lengths balanced: a replacement at one length, or two pairs at two
  // neighbouring lengths.
  struct Unit {
    std::size_t length;
    bool two_lengths = false, can_cross = false;
    std::size_t pairs() const { return two_lengths ? 2 : 1; }
  };

  const SplitConfig& config_;
  Border replace_, insert_, erase_;
  std::vector<Unit> units_;
};

}  // namespace

std::unique_ptr<SplitDrawer> MakeBalancedDrawer(const Dfa& dfa, const SplitConfig& config) {
  return std::make_unique<BalancedDrawer>(dfa, config);
}

std::unique_ptr<SplitDrawer> MakeAdversarialDrawer(const Dfa& dfa, const SplitConfig& config) {
  return std::make_unique<AdversarialDrawer>(dfa, config);
}

std::string FormatMlregtest(const Alphabet& alphabet, const Split& split) {
  const bool spaced = std::any_of(
      alphabet.names().begin(), alphabet.names().end(),
      [](const std::string& name) { return Utf8CharacterAt(name, 0)->size() != name.size(); });
  std::string text;
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (spaced) {
      text += alphabet.Format(split.string(i));
    } else {
      for (const Symbol a : split.string(i)) text += alphabet.Name(a);
    }
    text += split.labels[i] != 0 ? "\tTRUE\n" : "\tFALSE\n";
  }
  return text;
}

}  // namespace flare
