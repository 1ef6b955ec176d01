// The paper's values as far as they can be put next to ours: where language, splits, settings and
// budget are the paper's. Nothing, or empty, elsewhere.

#ifndef FLARE_REPORT_COMPARABLE_H_
#define FLARE_REPORT_COMPARABLE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/report/paper.h"
#include "flare/report/study.h"

namespace flare::report {

std::optional<PaperMean> ComparableInductiveBias(const Study& study, const std::string& language,
                                                 const std::string& variant);
std::optional<double> ComparableExpressivity(const Study& study, const std::string& language,
                                             const std::string& variant);
std::string ComparableBestLoss(const Study& study, const std::string& experiment,
                               const std::string& language, const std::string& variant);
std::optional<double> ComparableModelSize(const Study& study, const std::string& language,
                                          const std::string& variant, std::size_t budget);
std::optional<bool> ComparablePerfect(const Study& study, const std::string& language,
                                      const std::string& variant);

// Why values that the paper has are not shown, each reason once with all that it is true of.
std::vector<std::string> NotesOnThePaper(const Study& study);

}  // namespace flare::report

#endif  // FLARE_REPORT_COMPARABLE_H_
