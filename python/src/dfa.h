// An automaton as Python has it.

#ifndef FLARE_PYTHON_DFA_H_
#define FLARE_PYTHON_DFA_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bindings.h"
#include "flare/automata/dfa.h"

namespace flare::python {

struct BoundDfa {
  explicit BoundDfa(const Dfa& of);

  std::shared_ptr<const Dfa> dfa;
  py::array_t<std::int32_t> transitions;
  py::array_t<bool> accepting;
  std::size_t start;
};

}  // namespace flare::python

#endif  // FLARE_PYTHON_DFA_H_
