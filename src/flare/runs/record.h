// A record: what reports need of a finished run, without its model, as one line of JSON of at most
// 6 kB. It ends with the hash of what precedes it, so that a damaged line is noticed:
//
//   {"run":{"language":"parity",...},"config":{...},"result":{...},"lengths":[...],...,"sha256":"…"}
//
// Settings, counts and accuracies are exact, so that the run can be made again and tables come out
// the same; what was computed in single precision has nine digits, curves four, which is more than
// the strings behind a point carry.

#ifndef FLARE_RUNS_RECORD_H_
#define FLARE_RUNS_RECORD_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "flare/base/json_reader.h"
#include "flare/runs/coordinates.h"
#include "flare/runs/curves.h"
#include "flare/runs/names.h"
#include "flare/runs/result.h"
#include "flare/runs/run_config.h"

namespace flare {

// Of the strings of the test set that the model wrongly accepts: how many have the right format,
// that is, lie in the language's envelope? All that it wrongly rejects do.
struct FormatErrors {
  std::size_t right_format = 0;
  std::size_t wrong_format = 0;
};

struct RunRecord {
  Coordinates at;
  RunConfig config;  // its data by hash alone
  RunResult result;
  RunCurves curves;
  std::optional<FormatErrors> format_errors;  // nothing if the language has no envelope
  // Where it comes from if not from the run's own directory: "runs.csv", which has no curves.
  std::string imported;
};

constexpr std::size_t kMostRecordBytes = 6000;

// With a newline. Training curves are thinned until it fits.
std::string RecordLine(const RunRecord& record, const Names& names);
// Reads a line without its newline. Throws InputError, also if the hash is not that of the line.
RunRecord RecordFromLine(std::string_view line, const std::string& where, JsonReader& reader,
                         const Names& names);
// The run that a line is of, from its beginning alone, whatever became of the rest. Throws
// InputError.
Coordinates RecordedRun(std::string_view line, const std::string& where, JsonReader& reader);

}  // namespace flare

#endif  // FLARE_RUNS_RECORD_H_
