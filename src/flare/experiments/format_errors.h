// Which of a run's wrong answers have the right format (the paper's §5)? Asked while the files of
// single examples are there.

#ifndef FLARE_EXPERIMENTS_FORMAT_ERRORS_H_
#define FLARE_EXPERIMENTS_FORMAT_ERRORS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flare/base/json_reader.h"
#include "flare/runs/placed_run.h"
#include "flare/runs/record.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/run_data.h"

namespace flare {

// Remembers which strings of a test set have the right format: many runs share one.
class FormatJudge {
 public:
  // Nothing if the language has no envelope, or the data or the answers are not there, or the data
  // is no longer what the run had. Throws InputError if the answers are not those of the data.
  std::optional<FormatErrors> Errors(const Sweep& sweep, const PlacedRun& run, JsonReader& reader);

 private:
  // For every string of the split; nothing if that is not known.
  const std::optional<std::vector<bool>>& HasFormat(const RunData& data, const std::string& split);

  std::map<std::string, std::optional<std::vector<bool>>> known_;  // by hash of data, and split
};

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_FORMAT_ERRORS_H_
