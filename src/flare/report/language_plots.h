// The figures of a language as plots.

#ifndef FLARE_REPORT_LANGUAGE_PLOTS_H_
#define FLARE_REPORT_LANGUAGE_PLOTS_H_

#include <map>
#include <string>
#include <vector>

#include "flare/report/figure_data.h"
#include "flare/report/plot.h"
#include "flare/report/study.h"

namespace flare::report {

// By kind, as their folders are called; those without anything to draw are left out.
std::map<std::string, Plot> LanguagePlots(const Study& study, const std::string& language,
                                          const std::vector<RunFigures>& runs);

}  // namespace flare::report

#endif  // FLARE_REPORT_LANGUAGE_PLOTS_H_
