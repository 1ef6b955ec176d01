// A directory of records: a sweep whose finished runs are lines of text instead of directories, so
// that it can be kept in a repository and merged.
//
//   DIR/sweep.json                    the grid, as in a sweep's directory; "records" is true
//   DIR/LANG.jsonl                    a record per run, sorted by coordinates
//   DIR/datasets/LANG/manifest.json   what the data was
//   DIR/baselines/LANG.json           how far trivial recognizers get

#ifndef FLARE_RUNS_RECORDS_H_
#define FLARE_RUNS_RECORDS_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flare/runs/names.h"
#include "flare/runs/record.h"
#include "flare/runs/sweep_file.h"

namespace flare {

// By Coordinates::Path().
using Records = std::map<std::string, RunRecord>;

struct RecordsRead {
  Records records;
  // Lines that still say which run they are of, and all runs of a file that cannot be read: why.
  std::map<std::string, std::string> damaged;
  // Such files, by language. So is one with a line that is of another language, of a run that the
  // grid does not have, or so damaged that it does not say.
  std::map<std::string, std::string> unreadable;
};

inline std::filesystem::path RecordsFile(const std::filesystem::path& directory,
                                         const std::string& language) {
  return directory / (language + ".jsonl");
}

RecordsRead ReadRecords(const Sweep& sweep, const Names& names);

// The text of LANG.jsonl.
std::string FormatRecords(const Records& records, const std::string& language, const Names& names);

}  // namespace flare

#endif  // FLARE_RUNS_RECORDS_H_
