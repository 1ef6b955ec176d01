#include "flare/experiments/collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/runs/placed_run.h"
#include "flare/runs/run_outcome.h"

namespace flare {
namespace {

std::set<std::string> PathsOf(const Grid& grid) {
  std::set<std::string> paths;
  for (const Coordinates& at : grid.Runs()) paths.insert(at.Path());
  return paths;
}

// The one of two grids that contains the other.
const Sweep& Larger(const Sweep& a, const Sweep& b) {
  const auto in_a = PathsOf(a.grid), in_b = PathsOf(b.grid);
  if (std::includes(in_a.begin(), in_a.end(), in_b.begin(), in_b.end())) return a;
  if (std::includes(in_b.begin(), in_b.end(), in_a.begin(), in_a.end())) return b;
  std::vector<std::string> foreign;
  std::set_difference(in_b.begin(), in_b.end(), in_a.begin(), in_a.end(),
                      std::back_inserter(foreign));
  throw InputError(b.out,
                   fmt::format("has the run {}, which the grid of {} lacks, and not all of "
                               "that grid's",
                               foreign[0], a.out.string()),
                   "collect different grids into different directories");
}

}  // namespace

void Collection::AddGrid(const Sweep& sweep) {
  Sweep larger = sweep_ ? Larger(*sweep_, sweep) : sweep;
  if (sweep_) {
    larger.data_sha256 = sweep_->data_sha256;
    larger.data_of_recipe = sweep_->data_of_recipe;
    for (const auto& [language, hash] : sweep.data_sha256) {
      const auto& first = larger.data_sha256.try_emplace(language, hash).first->second;
      if (first == hash && sweep.data_of_recipe.contains(language)) {
        larger.data_of_recipe.insert(language);
      }
    }
  }
  sweep_ = std::move(larger);
  paths_ = PathsOf(sweep_->grid);
}

bool Collection::Add(RunRecord record, const std::string& from) {
  const std::string path = record.at.Path();
  CheckBelongs(record, from);
  const auto found = records_.find(path);
  if (found == records_.end()) {
    records_.emplace(path, std::move(record));
    from_[path] = from;
    return true;
  }
  RunRecord& there = found->second;
  const std::string difference =
      OutcomeDifference({record.config, record.result}, {there.config, there.result}, names_);
  if (!difference.empty()) {
    throw InputError(
        from, fmt::format("{} differs from the run in {}: its {}", path, from_[path], difference),
        "the same settings, seed and data must give the same result");
  }
  // What was imported from a table has no curves.
  const bool is_richer = !there.imported.empty() && record.imported.empty();
  if (is_richer) there = std::move(record);
  return is_richer;
}

void Collection::CheckOneArithmetic() const {
  std::map<std::string, const RunRecord*> first;  // by architecture
  for (const auto& [path, record] : records_) {
    const RunRecord*& other = first.try_emplace(record.at.architecture(), &record).first->second;
    const std::string& ours = record.config.settings.arithmetic;
    const std::string& theirs = other->config.settings.arithmetic;
    if (ours == theirs) continue;
    throw InputError(
        path,
        fmt::format("has the arithmetic {}, and {} that of {}", ours, other->at.Path(), theirs),
        "collect them into different directories; --only architecture=... chooses");
  }
}

std::optional<std::string> Collection::DataOf(const std::string& language) const {
  const auto found = records_.lower_bound(language + "/");  // a path begins with its language
  if (found == records_.end() || found->second.at.language != language) return std::nullopt;
  return found->second.config.data.Sha256OfAll();
}

void Collection::CheckBelongs(const RunRecord& record, const std::string& from) const {
  const std::string path = record.at.Path();
  if (!paths_.contains(path)) {
    throw InputError(from, fmt::format("the grid has no run {}", path));
  }
  const std::string difference = Displacement(record.config, *sweep_, record.at, names_);
  if (!difference.empty()) {
    throw InputError(from, fmt::format("{} is not the grid's: its {}", path, difference));
  }
  // A sweep of version 0.1 does not say of what data it is.
  const auto data = DataOf(record.at.language);
  if (data && *data != record.config.data.Sha256OfAll()) {
    throw InputError(
        from, fmt::format("{} has other data than other runs of {}", path, record.at.language),
        "runs on different data are not trials of one experiment");
  }
}

}  // namespace flare
