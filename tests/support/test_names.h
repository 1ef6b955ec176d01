// The names of this program's architectures and terms, for tests of rooms that are given them as a
// value. A test adds what else it needs.

#ifndef FLARE_TESTS_SUPPORT_TEST_NAMES_H_
#define FLARE_TESTS_SUPPORT_TEST_NAMES_H_

#include "flare/runs/names.h"

namespace flare {

Names TestNames();

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_TEST_NAMES_H_
