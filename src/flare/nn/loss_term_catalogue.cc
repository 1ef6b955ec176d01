// The terms of the loss besides recognition. To add a term, write its function and its line in
// LossTermCatalog.

#include <cstdint>
#include <string_view>
#include <vector>

#include "flare/nn/loss_terms.h"

namespace flare {
namespace {

// Language modelling, of positives only (paper §3.3):
//
//   p(a | prefix) = softmax(E h)_a      for a in Σ ∪ {EOS}
//
// with E the input embeddings of Σ and EOS, unscaled, without bias; or, where they are not tied
// (the option tie_embeddings of residual architectures), softmax(W h + b)_a with a head of its own.
// The loss of a string is the mean of −log p over its symbols and EOS.
LossTermInfo LmTerm() {
  return {.name = "lm",
          .key = "lm",
          .help = "language modelling: the next symbol, of positive examples",
          .columns = "a column per symbol, then EOS",
          .outputs = [](std::size_t vocabulary, std::size_t) { return vocabulary + 1; },
          .head = "language_model_head",
          .ties_embeddings = true,
          .target = [](const Batch& batch, TermRows::Place place) -> std::size_t {
            return place.position < batch.length(place.string)
                       ? batch.string(place.string)[place.position]
                       : batch.vocabulary;
          },
          .predicts_eos = true,
          .in_all_files = true};
}

// Next-symbol prediction, of positives only (paper §3.3):
//
//   p(a may follow) = σ(W h + b)_a      for a in Σ ∪ {EOS}
//
// The loss of a string is the mean over its positions and over the symbols of the binary
// cross-entropy.
LossTermInfo NextSymbolTerm() {
  return {
      .name = "ns",
      .key = "next_symbol",
      .help = "next-symbol prediction: the set of symbols that may follow, of positive examples",
      .columns = "a column per symbol, then EOS",
      .outputs = [](std::size_t vocabulary, std::size_t) { return vocabulary + 1; },
      .head = "next_symbols_head",
      .contains =
          [](const Batch& batch, TermRows::Place place, std::size_t a) {
            const std::size_t set = batch.first_set[place.string] + place.position;
            const std::uint64_t word = batch.next_symbols[set * batch.words_per_set() + a / 64];
            return ((word >> (a % 64)) & 1) != 0;
          },
      .figures = {"accuracy.positions", "accuracy.strings"},
      .needs_next_symbols = true,
      .predicts_eos = true,
      .in_all_files = true};
}

// State tracking, of positives and negatives: which state an automaton is in after every prefix, or
// after the whole string only, which makes of a group's word problem a classification:
//
//   p(q | prefix) = softmax(W h + b)_q
//
// The loss of a string is the mean of −log p over its timesteps 0, …, |w|, or that of the last.
// What the states mean is not known here; the batch has their numbers.
std::size_t StateOutputs(std::size_t, std::size_t states) { return states; }

std::size_t StateAt(const Batch& batch, TermRows::Place place) {
  return batch.states[batch.first_state(place.string) + place.position];
}

constexpr const char* kStateColumns =
    "a column per state of the minimal DFA, then one for prefixes of no member, if there are any";

LossTermInfo StateTerm() {
  return {.name = "st",
          .key = "state",
          .help = "state tracking: the state of the minimal DFA after every prefix",
          .columns = kStateColumns,
          .outputs = StateOutputs,
          .head = "states_head",
          .target = StateAt,
          .figures = {"accuracy.positions", "accuracy.strings"},
          .by_length = true,
          .strings = TermRows::Strings::kAll,
          .needs_states = true};
}

LossTermInfo LastStateTerm() {
  return {.name = "st_last",
          .key = "last_state",
          .help = "the state of the minimal DFA after the whole string",
          .columns = kStateColumns,
          .outputs = StateOutputs,
          .head = "last_states_head",
          .target = StateAt,
          .figures = {"accuracy.strings"},
          .by_length = true,
          .strings = TermRows::Strings::kAll,
          .positions = TermRows::Positions::kLast,
          .needs_states = true};
}

}  // namespace

std::span<const LossTermInfo> LossTermCatalog() {
  static const std::vector<LossTermInfo> terms = {
      LmTerm(),
      NextSymbolTerm(),
      StateTerm(),
      LastStateTerm(),
  };
  return terms;
}

const LossTermInfo* FindLossTerm(std::string_view name) {
  for (const LossTermInfo& term : LossTermCatalog()) {
    if (term.name == name) return &term;
  }
  return nullptr;
}

}  // namespace flare
