#include "flare/experiments/known_runs.h"

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/runs/placed_run.h"
#include "flare/runs/records.h"
#include "flare/training/known_names.h"

namespace flare {
namespace {

std::string DifferenceOf(const RunRecord& record, const Sweep& sweep) {
  const std::string difference = Displacement(record.config, sweep, record.at, KnownNames());
  if (!difference.empty()) return difference;
  const std::string& there = record.config.settings.arithmetic;
  const std::string ours = NamesWith(KnownNames(), sweep.grid.externals)
                               .FindArchitecture(record.at.architecture())
                               ->arithmetic;
  return there == ours ? "" : fmt::format("arithmetic is {}, not {}", there, ours);
}

}  // namespace

KnownRuns FindKnownRuns(const std::filesystem::path& records, const Sweep& sweep) {
  const Sweep there = ReadSweep(records, KnownNames());
  if (!there.is_records) {
    throw InputError(records, "has no records", "flare sweep collect makes them from a sweep");
  }
  const RecordsRead read = ReadRecords(there, KnownNames());
  const Records& all = read.records;
  KnownRuns known;
  for (const auto& [language, why] : read.unreadable) known.unreadable.push_back(why);
  for (const Coordinates& at : sweep.grid.Runs()) {
    const auto found = all.find(at.Path());
    if (found == all.end()) continue;
    const std::string difference = DifferenceOf(found->second, sweep);
    if (difference.empty()) {
      known.seconds[at.Path()] = found->second.result.core_seconds();
    } else if (++known.others == 1) {
      known.difference = fmt::format("{}: its {}", at.Path(), difference);
    }
  }
  return known;
}

}  // namespace flare
