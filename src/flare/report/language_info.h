// The description of a language in a report.

#ifndef FLARE_REPORT_LANGUAGE_INFO_H_
#define FLARE_REPORT_LANGUAGE_INFO_H_

#include <optional>
#include <string>
#include <vector>

#include "flare/languages/language.h"
#include "flare/report/study.h"

namespace flare::report {

// The language of that name in the study, as far as it is known what the data of its runs was.
std::optional<NamedLanguage> FindLanguage(const Study& study, const std::string& language);

struct SampleStrings {
  std::vector<std::string> members;
  std::vector<std::string> others;  // drawn as the datasets' negatives are
};

// A few short strings, the same in every report.
SampleStrings DrawSamples(const NamedLanguage& language);

}  // namespace flare::report

#endif  // FLARE_REPORT_LANGUAGE_INFO_H_
