#include "flare/training/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 1;

Json ParseObject(const std::string& path) {
  Json json = ParseJson(ReadRegularFile(path), path);
  if (!json.is_object()) throw InputError(path, "is not a JSON object");
  return json;
}

bool IsRunOrEmpty(const RunDirectory& run) {
  if (run.is_begun()) return true;
  for (const auto& entry : fs::directory_iterator(run.path())) {
    const std::string name = entry.path().filename().string();
    if (name != "events.jsonl" && name != "checkpoint.safetensors" && name != "failure.json" &&
        !name.starts_with("lock") && !name.ends_with(".tmp")) {
      return false;
    }
  }
  return true;
}

bool AreMetrics(const Json& json) {
  // The cross-entropy of a model that diverged is not a number: null.
  return Member<std::size_t>(json, "examples") && Member<double>(json, "accuracy") &&
         json.contains("recognition_cross_entropy") &&
         Member<std::int64_t>(json, "longest_perfect_length");
}

bool IsResult(const Json& json) {
  const auto splits = json.find("splits");
  return Member<std::string>(json, "outcome") && Member<std::string>(json, "stop_reason") &&
         Member<std::size_t>(json, "epochs") && Member<double>(json, "seconds") &&
         Member<double>(json, "examples_per_second") && splits != json.end() &&
         splits->is_object() && std::all_of(splits->begin(), splits->end(), [](const Json& split) {
           return split.is_null() || AreMetrics(split);
         });
}

}  // namespace

RunRecord RunDirectory::ReadRecord() const {
  if (!is_begun()) {
    throw InputError(path_, "is not a run: it has no config.json", "flare train makes runs");
  }
  const Json json = ParseObject(config());
  if (Member<int>(json, "format") != kFormat) {
    throw InputError(config(), fmt::format("format {} is unknown",
                                           json.contains("format") ? json["format"].dump() : "?"));
  }
  if (!json.contains("data")) throw InputError(config(), "it has no \"data\"");
  return {RunConfigFromJson(json, config()), RunDataFromJson(json["data"], config())};
}

Json RunDirectory::ReadResult() const {
  Json json = ParseObject(result());
  if (!IsResult(json)) {
    throw InputError(result(), "is not the result of a run: it is damaged",
                     "remove the run's directory to start it over");
  }
  return json;
}

Json RunRecordToJson(const RunRecord& record) {
  Json json = {{"format", kFormat}, {"data", RunDataToJson(record.data)}};
  json.update(RunConfigToJson(record.config));
  return json;
}

std::string RunDifference(const RunRecord& there, const RunRecord& wanted) {
  Json a = RunRecordToJson(there), b = RunRecordToJson(wanted);
  for (Json* json : {&a, &b}) {
    json->erase("drawn");
    (*json)["data"].erase("path");
    (*json)["data"].erase("language");
    (*json)["data"].erase("files");
  }
  return FirstDifference(a, b);
}

std::unique_ptr<OwnedRun> OwnedRun::TryOpen(const fs::path& path, LockObserver& observer,
                                            LockOwner* owner, LockState* state) {
  if (path.empty()) throw InputError("", "the name of the run's directory is empty");
  MakeDirectories(path);
  RunDirectory directory(path);
  if (!IsRunOrEmpty(directory)) {
    throw InputError(path, "holds something else than a run",
                     "name a new or empty directory for the run");
  }
  auto lock = LockFile::TryAcquire(directory.lock(), observer, owner, state);
  if (lock == nullptr) return nullptr;
  RemoveTemporaries(path);
  if (fs::exists(directory.evaluation())) RemoveTemporaries(directory.evaluation());
  // Killed between the last two of its deeds.
  std::error_code ignored;
  if (directory.is_finished()) fs::remove(directory.checkpoint(), ignored);
  return std::unique_ptr<OwnedRun>(new OwnedRun(std::move(directory), std::move(lock)));
}

void OwnedRun::CheckOwned() const {
  if (!lock_->StillOurs()) throw RunLost{};
}

void OwnedRun::Write(const fs::path& file, std::string_view contents) const {
  MakeDirectories(file.parent_path());
  WriteFileAtomically(file, contents, [this] { CheckOwned(); });
}

void OwnedRun::Remove(const fs::path& file) const {
  CheckOwned();
  std::error_code failed;
  fs::remove(file, failed);
  if (failed) throw IoError(file, "remove", failed.value());
}

}  // namespace flare
