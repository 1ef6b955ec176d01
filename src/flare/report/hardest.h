// The examples that a run finds hardest.

#ifndef FLARE_REPORT_HARDEST_H_
#define FLARE_REPORT_HARDEST_H_

#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/json_reader.h"
#include "flare/report/sweep.h"
#include "flare/runs/evaluation_files.h"

namespace flare::report {

// The lines of the long test set of a language; empty if the dataset is not there (any more).
std::vector<std::string> ReadTestStrings(const Sweep& sweep, const std::string& language);

// What eval/hardest.json says, which has the model's probability along each string; without it, the
// examples with the highest cross-entropy in eval/test.jsonl. Empty if there is neither.
std::vector<HardExample> ReadHardExamples(const Run& run, const std::vector<std::string>& strings,
                                          JsonReader& reader);

}  // namespace flare::report

#endif  // FLARE_REPORT_HARDEST_H_
