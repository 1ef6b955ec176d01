// What automata may cost. A pattern of a few bytes can ask for gigabytes and for hours: whatever is
// built from one text of a user shares an Effort, which refuses when it is spent.

#ifndef FLARE_AUTOMATA_EFFORT_H_
#define FLARE_AUTOMATA_EFFORT_H_

#include <cstddef>
#include <string>

namespace flare {

class Effort {
 public:
  // States and transitions of one automaton: some hundred megabytes while it is minimized.
  static constexpr std::size_t kLargest = 5'000'000;
  // How often states and transitions may be looked at, in all: about a second.
  static constexpr std::size_t kMostSteps = 30'000'000;

  // `where` is what errors start with.
  explicit Effort(std::string where) : where_(std::move(where)) {}

  // Throw InputError.
  void Spend(std::size_t steps);
  void CheckSize(std::size_t states_and_transitions) const;
  // Another automaton, which brings the names of its symbols with it.
  void SpendAutomaton(std::size_t alphabet_size) { Spend(100 * alphabet_size); }

 private:
  std::string where_;
  std::size_t left_ = kMostSteps;
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_EFFORT_H_
