#include "flare/experiments/sweep_baselines.h"

#include <fmt/format.h>

#include <cerrno>
#include <exception>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/long_work.h"
#include "flare/data/baselines.h"
#include "flare/data/dataset_language.h"
#include "flare/runs/sweep_file.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

void SayLeftOut(const std::string& language, Progress& progress) {
  progress.Say(fmt::format("{}: its baselines are left out: {}", language, CaughtFault()));
}

// Runs need none, so that what stands in the place of a language's baselines stays with them.
void WriteBaselines(const Sweep& sweep, const std::string& language,
                    const DatasetBaselines& baselines, Progress& progress) {
  try {
    const fs::path file = sweep.BaselinesPath(language).lexically_relative(sweep.out);
    Json document = {{kFormatMember, kBaselinesFormat}};
    document.update(BaselinesToJson(baselines));
    WriteInside(sweep.out, file, CheckedText(document));
  } catch (const InputError&) {
    SayLeftOut(language, progress);
  } catch (const IoError& error) {
    if (error.error_number() != EACCES) throw;
    SayLeftOut(language, progress);
  }
}

// Of a sweep that was planned before, baselines that do not say of what data they are (version 0.1
// did not) are taken for its own; in a new one they are what another has left.
bool HasBaselines(const Sweep& sweep, const std::string& language, bool planned) {
  const BaselineFile there = ReadBaselines(sweep, language);
  return !there.splits.empty() && (planned || !there.data_sha256.empty());
}

// Of the files that are pinned.
DatasetBaselines BaselinesOf(const fs::path& dataset, const PinnedData& data) {
  DatasetBaselines baselines =
      HasKnownLanguage(dataset)
          ? ComputeBaselines(dataset, FindDatasetLanguage(dataset), {.recorded = data.files})
          : ComputeBaselines(dataset, {.recorded = data.files});
  baselines.data_sha256 = data.Sha256OfAll();
  return baselines;
}

}  // namespace

bool HoldsBaselines(const fs::path& folder) {
  if (!fs::is_directory(fs::symlink_status(folder))) return false;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool is_draft = DraftOf(entry.path().filename().string()).has_value();
    if (!is_draft && !AreBaselines(entry.path())) return false;
  }
  return true;
}

void MakeBaselines(const Sweep& sweep, const std::map<std::string, RunData>& data, bool planned,
                   const PlanOptions& options, ProgressObserver& observer) {
  std::vector<std::string> missing;
  for (const auto& [language, pinned] : data) {
    if (!HasBaselines(sweep, language, planned)) missing.push_back(language);
  }
  if (missing.empty()) return;
  Progress progress(observer, missing.size(), "baselines");
  ForEachInParallel(missing.size(), options.jobs, [&](std::size_t i) {
    const std::string& language = missing[i];
    try {
      const DatasetBaselines baselines =
          BaselinesOf(sweep.DatasetPath(language), data.at(language).pinned);
      WriteBaselines(sweep, language, baselines, progress);
    } catch (const std::exception&) {
      if (!planned || !options.may_wait_for_data) throw;
      SayLeftOut(language, progress);
    }
    progress.Step("");
  });
}

}  // namespace flare
