// Where the program under test and the sources are. Only paths.cc is compiled with them, so that
// trees elsewhere share the compiled files of all other tests.

#ifndef FLARE_TESTS_SUPPORT_PATHS_H_
#define FLARE_TESTS_SUPPORT_PATHS_H_

#include <string>

namespace flare {

std::string FlareProgram();
std::string SourceDir();

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_PATHS_H_
