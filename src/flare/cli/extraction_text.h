// What flare extract prints.

#ifndef FLARE_CLI_EXTRACTION_TEXT_H_
#define FLARE_CLI_EXTRACTION_TEXT_H_

#include <string>

#include "flare/extraction/extraction_report.h"

namespace flare {

std::string ExtractionText(const ExtractionReport& report);

}  // namespace flare

#endif  // FLARE_CLI_EXTRACTION_TEXT_H_
