// State tracking, of positives and negatives: which state an automaton is in after every prefix, or
// after the whole string only, which makes of a group's word problem a classification:
//
//   p(q | prefix) = softmax(W h + b)_q
//
// The loss of a string is the mean of −log p over its timesteps 0, …, |w|, or that of the last.
// What the states mean is not known here; the batch has their numbers.

#include "flare/nn/loss_terms.h"

namespace flare {
namespace {

std::size_t StateOutputs(std::size_t, std::size_t states) { return states; }

std::size_t StateAt(const Batch& batch, TermRows::Place place) {
  return batch.states[batch.first_state(place.string) + place.position];
}

constexpr const char* kStateColumns =
    "a column per state of the minimal DFA, then one for prefixes of no member, if there are any";

}  // namespace

LossTermInfo DescribeStateTerm() {
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

LossTermInfo DescribeLastStateTerm() {
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

}  // namespace flare
