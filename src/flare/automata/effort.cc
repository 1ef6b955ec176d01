#include "flare/automata/effort.h"

#include <fmt/format.h>

#include "flare/base/error.h"

namespace flare {

void Effort::Spend(std::size_t steps) {
  if (steps > left_) {
    throw InputError(where_,
                     fmt::format("its automaton takes more than {} steps to compute", kMostSteps));
  }
  left_ -= steps;
}

void Effort::CheckSize(std::size_t states_and_transitions) const {
  if (states_and_transitions > kLargest) {
    throw InputError(
        where_,
        fmt::format("its automaton is too large: over {} states and transitions", kLargest));
  }
}

}  // namespace flare
