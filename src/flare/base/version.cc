#include "flare/base/version.h"

namespace flare {

const char* Version() { return FLARE_VERSION; }

}  // namespace flare
