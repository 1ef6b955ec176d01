// How bad input is refused.

#ifndef FLARE_TESTS_SUPPORT_REFUSAL_H_
#define FLARE_TESTS_SUPPORT_REFUSAL_H_

#include <string>

#include "flare/base/error.h"

namespace flare {

// The message of the InputError that read() throws, and "; " with its hint if it has one; empty if
// it throws none.
template <class Read>
std::string RefusalOf(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.hint().empty() ? error.what() : std::string(error.what()) + "; " + error.hint();
  }
  return "";
}

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_REFUSAL_H_
