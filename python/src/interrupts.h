// Lets Ctrl-C end a long computation that has released the interpreter's lock.

#ifndef FLARE_PYTHON_INTERRUPTS_H_
#define FLARE_PYTHON_INTERRUPTS_H_

#include <pybind11/pybind11.h>

#include <cstddef>

#include "flare/base/clock.h"
#include "flare/base/long_work.h"

namespace flare::python {

class Interrupts {
 public:
  // To be called once per string or so, without the lock: looks at the clock now and then, and ten
  // times a second checks whether a signal has come. Throws what its handler raised.
  void Check() {
    if (++calls_ % 256 == 0) CheckNow();
  }
  // The same for calls that are further apart: a look at the clock takes as long as a short string.
  void CheckNow() {
    if (since_look_.Seconds() < 0.1) return;
    since_look_ = {};
    const pybind11::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
  }

 private:
  std::size_t calls_ = 0;
  Stopwatch since_look_;
};

// While it lives, long loops of the libraries in this thread can be interrupted.
class InterruptibleWork {
 private:
  Interrupts interrupts_;
  Interruption interruption_{[this] { interrupts_.CheckNow(); }};
};

}  // namespace flare::python

#endif  // FLARE_PYTHON_INTERRUPTS_H_
