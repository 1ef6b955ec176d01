#include "flare/grammars/grammar_product.h"

#include <fmt/format.h>

#include <bit>
#include <map>
#include <utility>

#include "flare/base/error.h"
#include "flare/grammars/grammar.h"

namespace flare {
namespace {

// A round over all bodies looks at each up to |Q| times: about a second.
constexpr std::size_t kMostRelationBytes = 20'000'000;

// A relation between states for each of some symbols (rows), as bits (row, from, to).
class Relations {
 public:
  Relations(std::size_t rows, std::size_t states)
      : states_(states), words_((states + 63) / 64), bits_(rows * states * words_) {}

  void Add(std::size_t row, std::size_t from, std::size_t to) {
    Words(row, from)[to / 64] |= std::uint64_t{1} << to % 64;
  }
  bool Has(std::size_t row, std::size_t from, std::size_t to) const {
    return (bits_[(row * states_ + from) * words_ + to / 64] >> to % 64 & 1) != 0;
  }
  // Adds what (other, other_from) reaches; true if that is more.
  bool Merge(std::size_t row, std::size_t from, const Relations& other, std::size_t other_row,
             std::size_t other_from) {
    std::uint64_t* const to = Words(row, from);
    const std::uint64_t* const source =
        other.bits_.data() + (other_row * states_ + other_from) * words_;
    std::uint64_t more = 0;
    for (std::size_t i = 0; i < words_; ++i) {
      more |= source[i] & ~to[i];
      to[i] |= source[i];
    }
    return more != 0;
  }
  template <class Visit>
  void ForEach(std::size_t row, std::size_t from, Visit visit) const {
    const std::uint64_t* const words = bits_.data() + (row * states_ + from) * words_;
    for (std::size_t i = 0; i < words_; ++i) {
      for (std::uint64_t left = words[i]; left != 0; left &= left - 1) {
        visit(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  std::uint64_t* Words(std::size_t row, std::size_t from) {
    return bits_.data() + (row * states_ + from) * words_;
  }

  std::size_t states_, words_;
  std::vector<std::uint64_t> bits_;
};

class Multiplication {
 public:
  Multiplication(const NormalForm& normal, const Dfa& automaton)
      : normal_(normal),
        automaton_(automaton),
        states_(automaton.num_states()),
        of_symbol_(CheckedRows(), states_),
        of_body_(normal.bodies.size(), states_),
        needed_(normal.num_nonterminals() * states_) {}

  GrammarProduct Run() {
    FindStrings();
    FindNeeded();
    MakeEdges();
    MakeSpans();
    return std::move(product_);
  }

 private:
  [[noreturn]] static void ThrowTooLarge() {
    throw InputError("", "the product of the target's grammar and the automaton is too large");
  }

  // The number of grammar symbols, if tables of that many fit.
  std::size_t CheckedRows() const {
    const std::size_t rows = normal_.alphabet.size() + normal_.num_nonterminals();
    const std::size_t bytes_of_row = automaton_.num_states() * (automaton_.num_states() / 8 + 8);
    if ((rows + normal_.bodies.size()) > kMostRelationBytes / bytes_of_row) ThrowTooLarge();
    return rows;
  }

  std::size_t RowOf(std::size_t nonterminal) const {
    return Index(normal_.Nonterminal(nonterminal));
  }

  // Finds the (p, X, q) that have strings, bottom up.
  void FindStrings() {
    for (std::size_t p = 0; p < states_; ++p) {
      for (const auto& [symbol, target] : automaton_.TransitionsFrom(StateAt(p))) {
        of_symbol_.Add(Index(symbol), p, Index(target));
        for (const NormalForm::Head& head : normal_.heads_of_terminal[Index(symbol)]) {
          of_symbol_.Add(RowOf(head.nonterminal), p, Index(target));
        }
      }
    }
    UntilNothingChanges(normal_.bodies.size(), [&](std::size_t b) {
      const auto [left, right] = normal_.bodies[b];
      bool changed = false;
      for (std::size_t p = 0; p < states_; ++p) {
        bool more = false;
        of_symbol_.ForEach(Index(left), p, [&, y = Index(right)](std::size_t r) {
          more |= of_body_.Merge(b, p, of_symbol_, y, r);
        });
        if (!more) continue;
        for (const NormalForm::Head& head : normal_.heads_of_body[b]) {
          changed |= of_symbol_.Merge(RowOf(head.nonterminal), p, of_body_, b, p);
        }
      }
      return changed;
    });
  }

  bool IsNeeded(std::size_t nonterminal, std::size_t p) const {
    return needed_[nonterminal * states_ + p] != 0;
  }

  // Finds the (p, A, ·) that occur below the start, top down.
  void FindNeeded() {
    std::vector<std::pair<std::size_t, std::size_t>> open;
    const auto need = [&](GrammarSymbol x, std::size_t p) {
      if (normal_.IsTerminal(x)) return;
      const std::size_t nonterminal = normal_.NonterminalIndex(x);
      char& needed = needed_[nonterminal * states_ + p];
      if (needed == 0) open.emplace_back(nonterminal, p);
      needed = 1;
    };
    need(normal_.Nonterminal(0), Index(automaton_.start()));
    while (!open.empty()) {
      const auto [nonterminal, p] = open.back();
      open.pop_back();
      for (const NormalForm::BodyRule& rule : normal_.bodies_of[nonterminal]) {
        const NormalForm::Body& body = normal_.bodies[rule.body];
        need(body.left, p);
        of_symbol_.ForEach(Index(body.left), p, [&](std::size_t r) { need(body.right, r); });
      }
    }
  }

  void MakeEdges() {
    for (std::size_t a = 0; a < normal_.num_nonterminals(); ++a) {
      for (std::size_t p = 0; p < states_; ++p) {
        if (!IsNeeded(a, p)) continue;
        of_symbol_.ForEach(RowOf(a), p, [&](std::size_t q) {
          const auto edge = static_cast<std::uint32_t>(product_.edges.size());
          numbers_.emplace(Place{RowOf(a), p, q}, edge);
          product_.edges.emplace_back();
          if (a == 0 && p == Index(automaton_.start())) {
            product_.roots.push_back({StateAt(q), edge});
          }
        });
        for (const NormalForm::TerminalRule& rule : normal_.terminals_of[a]) {
          const std::size_t q = Index(*automaton_.Next(StateAt(p), rule.terminal));
          product_.edges[EdgeOf(RowOf(a), p, q)].terminals.push_back({rule.terminal, rule.weight});
        }
      }
    }
  }

  std::uint32_t EdgeOf(std::size_t row, std::size_t p, std::size_t q) const {
    return numbers_.at(Place{row, p, q});
  }

  GrammarProduct::Part PartOf(GrammarSymbol x, std::size_t p, std::size_t q) const {
    if (normal_.IsTerminal(x)) return {GrammarProduct::kTerminal, SymbolAt(Index(x))};
    return {EdgeOf(Index(x), p, q), Symbol{}};
  }

  void MakeSpans() {
    std::size_t num_pairs = 0;
    for (std::size_t b = 0; b < normal_.bodies.size(); ++b) {
      for (std::size_t p = 0; p < states_; ++p) {
        std::vector<NormalForm::Head> heads;
        for (const NormalForm::Head& head : normal_.heads_of_body[b]) {
          if (IsNeeded(head.nonterminal, p)) heads.push_back(head);
        }
        if (heads.empty()) continue;
        of_body_.ForEach(b, p, [&](std::size_t q) {
          GrammarProduct::Span span = SpanOf(normal_.bodies[b], p, q);
          for (const NormalForm::Head& head : heads) {
            span.heads.push_back({EdgeOf(RowOf(head.nonterminal), p, q), head.weight});
          }
          num_pairs += span.pairs.size();
          if (num_pairs > GrammarProduct::kMostPairs) ThrowTooLarge();
          product_.spans.push_back(std::move(span));
        });
      }
    }
  }

  GrammarProduct::Span SpanOf(const NormalForm::Body& body, std::size_t p, std::size_t q) {
    GrammarProduct::Span span;
    const bool is_inner = !normal_.IsTerminal(body.left) && !normal_.IsTerminal(body.right);
    of_symbol_.ForEach(Index(body.left), p, [&](std::size_t r) {
      if (!of_symbol_.Has(Index(body.right), r, q)) return;
      span.pairs.push_back({PartOf(body.left, p, r), PartOf(body.right, r, q)});
      if (is_inner) ++product_.num_inner_pairs;
    });
    return span;
  }

  struct Place {
    std::size_t symbol, from, to;
    auto operator<=>(const Place&) const = default;
  };

  const NormalForm& normal_;
  const Dfa& automaton_;
  std::size_t states_;
  Relations of_symbol_, of_body_;
  std::vector<char> needed_;  // (nonterminal, state)
  std::map<Place, std::uint32_t> numbers_;
  GrammarProduct product_;
};

}  // namespace

GrammarProduct MultiplyByAutomaton(const NormalForm& normal, const Dfa& automaton) {
  FLARE_CHECK(normal.alphabet == automaton.alphabet());
  return Multiplication(normal, automaton).Run();
}

}  // namespace flare
