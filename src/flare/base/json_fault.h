// What a JSON library says about a fault.

#ifndef FLARE_BASE_JSON_FAULT_H_
#define FLARE_BASE_JSON_FAULT_H_

#include <string>

#include "flare/base/json.h"

namespace flare {

// Without the library's own number for it.
std::string FaultOf(const Json::exception& error);

}  // namespace flare

#endif  // FLARE_BASE_JSON_FAULT_H_
