// Records of the runs of one grid, from several sources, each run once. Two sources that hold one
// run must hold the same.

#ifndef FLARE_EXPERIMENTS_COLLECTION_H_
#define FLARE_EXPERIMENTS_COLLECTION_H_

#include <map>
#include <optional>
#include <set>
#include <string>

#include "flare/runs/names.h"
#include "flare/runs/record.h"
#include "flare/runs/records.h"
#include "flare/runs/sweep_file.h"

namespace flare {

class Collection {
 public:
  explicit Collection(const Names& names) : names_(names) {}

  // The grid is the larger of those that were added. Throws InputError if none contains the others.
  void AddGrid(const Sweep& sweep);
  // True if it is new. Throws InputError if it is not of the grid, or differs from the one that
  // another source had; `from` is where it is.
  bool Add(RunRecord record, const std::string& from);
  // Throws InputError if runs of one architecture have different ones: they are not trials of one
  // experiment.
  void CheckOneArithmetic() const;

  const Sweep& sweep() const { return *sweep_; }
  const Records& records() const { return records_; }
  // The hash of a language's data; nothing if there is no run of it.
  std::optional<std::string> DataOf(const std::string& language) const;

 private:
  void CheckBelongs(const RunRecord& record, const std::string& from) const;

  const Names& names_;
  std::optional<Sweep> sweep_;
  std::set<std::string> paths_;  // of its runs
  Records records_;
  std::map<std::string, std::string> from_;  // by path
};

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_COLLECTION_H_
