// What is not there for now, or not on this machine: data on a disk that is not mounted, an
// instruction set that the CPU lacks. To somebody who asked for just this it is bad input. A
// sweep's worker does not blame the run, which another machine, or this one later, can finish.

#ifndef FLARE_BASE_UNAVAILABLE_H_
#define FLARE_BASE_UNAVAILABLE_H_

#include "flare/base/error.h"

namespace flare {

class Unavailable : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace flare

#endif  // FLARE_BASE_UNAVAILABLE_H_
