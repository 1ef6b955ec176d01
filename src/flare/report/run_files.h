// Reads the files beside runs' results: learning curves, and scores of single strings. A missing
// file counts as an empty one; so does a damaged or unreadable one, which is noted.

#ifndef FLARE_REPORT_RUN_FILES_H_
#define FLARE_REPORT_RUN_FILES_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/extraction/extraction_report.h"
#include "flare/report/study.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/events.h"
#include "flare/runs/metrics.h"

namespace flare::report {

// The number of strings of each length of the test split, and how many of them a run gets right.
struct LengthTables {
  struct Point {
    std::size_t length = 0;
    double examples = 0, right = 0;
  };
  std::vector<Point> accuracy;
  // The tables of auxiliary terms that are measured by length, by key.
  std::vector<std::pair<std::string, std::vector<SplitMetrics::TermRow>>> terms;
};

class RunFiles {
 public:
  // A point per checkpoint.
  std::vector<CurvePoint> Curve(const StudyRun& run);
  // Returns accuracies on the test split, at multiples of 10.
  std::vector<LengthPoint> Lengths(const StudyRun& run);
  // Returns the tables of the test split. A record has windows of 10 lengths to both sides instead
  // of lengths; for it, these are the windows around 10, 30, 50, …, which share only their ends.
  LengthTables ByLength(const StudyRun& run);
  // Was any of those asked for a record?
  bool knows_windows_only() const { return knows_windows_only_; }
  // A row per example.
  std::vector<ExampleRow> Examples(const StudyRun& run, const std::string& split);
  // The examples that the run finds hardest, with its probability along each string.
  std::vector<HardExample> Hardest(const StudyRun& run);
  // Returns what the run's network has learned, if flare extract was run on it.
  std::optional<SavedExtraction> Extraction(const StudyRun& run);

  // Returns the fault of the first damaged file of each run, by the run's directory.
  const std::map<std::filesystem::path, std::string>& damage() const { return damage_; }

 private:
  // read(text, file), if the file is there.
  template <class Read>
  auto Try(const StudyRun& run, const std::filesystem::path& file, Read read);

  JsonReader reader_;
  bool knows_windows_only_ = false;
  std::map<std::filesystem::path, std::string> damage_;
};

// The examples that a run finds hardest.

// The lines of the long test set of a language; empty if the dataset of the runs is not (or no
// longer) there.
std::vector<std::string> ReadTestStrings(const Study& study, const std::string& language);

// Reads eval/hardest.json, which has the model's probability along each string; without it, finds
// the examples with the highest cross-entropy in eval/test.jsonl. Empty if there is neither.
std::vector<HardExample> ReadHardExamples(const StudyRun& run,
                                          const std::vector<std::string>& strings, RunFiles& files);

}  // namespace flare::report

#endif  // FLARE_REPORT_RUN_FILES_H_
