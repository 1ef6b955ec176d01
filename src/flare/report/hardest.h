// The examples that a run finds hardest.

#ifndef FLARE_REPORT_HARDEST_H_
#define FLARE_REPORT_HARDEST_H_

#include <filesystem>
#include <string>
#include <vector>

#include "flare/report/run_files.h"
#include "flare/report/study.h"

namespace flare::report {

// The lines of the long test set of a language; empty if the dataset of the runs is not (or no
// longer) there.
std::vector<std::string> ReadTestStrings(const Study& study, const std::string& language);

// What eval/hardest.json says, which has the model's probability along each string; without it, the
// examples with the highest cross-entropy in eval/test.jsonl. Empty if there is neither.
std::vector<HardExample> ReadHardExamples(const Run& run, const std::vector<std::string>& strings,
                                          RunFiles& files);

}  // namespace flare::report

#endif  // FLARE_REPORT_HARDEST_H_
