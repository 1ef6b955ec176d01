// What runs leave next to their results: learning curves, scores of single strings. A missing file
// is taken for an empty one; so is one that cannot be read or is damaged, which is noted.

#ifndef FLARE_REPORT_RUN_FILES_H_
#define FLARE_REPORT_RUN_FILES_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/report/study.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/events.h"
#include "flare/runs/extraction.h"
#include "flare/runs/metrics.h"

namespace flare::report {

class RunFiles {
 public:
  // A point per checkpoint.
  std::vector<CurvePoint> Curve(const Run& run);
  // On the test split, at multiples of 10.
  std::vector<LengthPoint> Lengths(const Run& run);
  // A row per example.
  std::vector<ExampleRow> Examples(const Run& run, const std::string& split);
  // The examples that the run finds hardest, with its probability along each string.
  std::vector<HardExample> Hardest(const Run& run);
  // What its network has learned, if somebody has asked it (flare extract).
  std::optional<SavedExtraction> Extraction(const Run& run);

  // By the run's directory, what is wrong with the first of its files that is damaged.
  const std::map<std::filesystem::path, std::string>& damage() const { return damage_; }

 private:
  // read(text, file), if the file is there.
  template <class Read>
  auto Try(const Run& run, const std::filesystem::path& file, Read read);

  JsonReader reader_;
  std::map<std::filesystem::path, std::string> damage_;
};

}  // namespace flare::report

#endif  // FLARE_REPORT_RUN_FILES_H_
