// The version of the program, as recorded in everything it writes.

#ifndef FLARE_BASE_VERSION_H_
#define FLARE_BASE_VERSION_H_

namespace flare {

const char* Version();

}  // namespace flare

#endif  // FLARE_BASE_VERSION_H_
