// A directory of records: a sweep whose finished runs are lines of text instead of directories, so
// that it can be kept in a repository and merged.
//
//   DIR/sweep.json                    the grid, as in a sweep's directory; "records" is true
//   DIR/LANG.jsonl                    a record per run, sorted by coordinates
//   DIR/datasets/LANG/manifest.json   what the data was
//   DIR/baselines/LANG.json           how far trivial recognizers get
//
// A record is what reports need of a finished run, without its model, as one line of JSON of at
// most 6 kB. It ends with the hash of what precedes it, so that a damaged line is noticed:
//
//   {"run":{"language":"parity",...},"config":{...},"result":{...},"lengths":[...],...,"sha256":"…"}
//
// Settings, counts and accuracies are exact, so that the run can be made again and tables come out
// the same. Single-precision figures have nine digits. Curves have four, more than the number of
// strings behind a point justifies.

#ifndef FLARE_RUNS_RECORDS_H_
#define FLARE_RUNS_RECORDS_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "flare/base/json.h"
#include "flare/runs/run.h"
#include "flare/runs/sweep_file.h"

namespace flare {

// Finished runs by Coordinates::Path().
using Records = std::map<std::string, Run>;

struct RecordsRead {
  Records records;
  // Reasons why runs cannot be read: damaged lines that still name their run, and all runs of a
  // file that cannot be read.
  std::map<std::string, std::string> damaged;
  // Files that cannot be read, by language. That includes files with a line of another language, of
  // a run that is not in the grid, or too damaged to name its run.
  std::map<std::string, std::string> unreadable;
};

inline std::filesystem::path RecordsFile(const std::filesystem::path& directory,
                                         const std::string& language) {
  return directory / (language + ".jsonl");
}

RecordsRead ReadRecords(const Sweep& sweep);
// Those of one language.
RecordsRead ReadRecords(const Sweep& sweep, const Grid::GridLanguage& language);

// The text of LANG.jsonl.
std::string FormatRecords(const Records& records, const std::string& language);

// Returns what a record keeps of a finished run: curves instead of files, and its data by hash
// alone. Throws InputError if a file that it needs is damaged.
Run RecordOf(const Run& run, JsonReader& reader);

constexpr std::size_t kMostRecordBytes = 6000;

// Returns a line with its newline. Thins the training curves until the line fits. Requires: the
// record comes from RecordOf or RecordFromLine.
std::string RecordLine(const Run& record);
// Reads a line without its newline. Throws InputError, also if the hash is not that of the line.
Run RecordFromLine(std::string_view line, const std::string& where, JsonReader& reader);

}  // namespace flare

#endif  // FLARE_RUNS_RECORDS_H_
