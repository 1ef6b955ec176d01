// Whether a program that a test needs is there; a test that misses one says so and is skipped.

#ifndef FLARE_TESTS_SUPPORT_INSTALLED_H_
#define FLARE_TESTS_SUPPORT_INSTALLED_H_

#include <string>

namespace flare {

// On the PATH, or where daemons are.
bool Installed(const std::string& program);

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_INSTALLED_H_
