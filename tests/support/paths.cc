#include "support/paths.h"

namespace flare {

std::string FlareProgram() { return FLARE_BINARY; }
std::string SourceDir() { return FLARE_SOURCE_DIR; }

}  // namespace flare
