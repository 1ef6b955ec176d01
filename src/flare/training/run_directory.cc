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

// A number in [low, high].
bool HasNumber(const Json& json, const char* name, double low, double high) {
  const auto number = Member<double>(json, name);
  return number && *number >= low && *number <= high;
}

bool AreMetrics(const Json& json) {
  if (!Member<std::size_t>(json, "examples") || !HasNumber(json, "accuracy", 0, 1)) return false;
  // That of a model that diverged is not a number.
  const auto cross_entropy = json.find("recognition_cross_entropy");
  return cross_entropy != json.end() && (cross_entropy->is_number() || cross_entropy->is_null()) &&
         Member<std::int64_t>(json, "longest_perfect_length");
}

bool IsResult(const Json& json) {
  constexpr double kLongest = 1e10, kFastest = 1e15;  // seconds, examples in one
  const auto outcome = Member<std::string>(json, "outcome");
  const auto splits = json.find("splits");
  return (outcome == "finished" || outcome == "diverged") &&
         Member<std::string>(json, "stop_reason") && Member<std::size_t>(json, "epochs") &&
         HasNumber(json, "seconds", 0, kLongest) &&
         HasNumber(json, "examples_per_second", 0, kFastest) && splits != json.end() &&
         splits->is_object() && std::all_of(splits->begin(), splits->end(), [](const Json& split) {
           return split.is_null() || AreMetrics(split);
         });
}

}  // namespace

void RunDirectory::CheckIsRunOrEmpty() const {
  if (!fs::exists(path_) || is_begun()) return;
  if (!fs::is_directory(path_)) throw InputError(path_, "exists and is not a directory");
  for (const auto& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    if (name != "events.jsonl" && name != "checkpoint.safetensors" && name != "failure.json" &&
        !name.starts_with("lock") && !name.ends_with(".tmp")) {
      throw InputError(path_, "holds something else than a run",
                       "name a new or empty directory for the run");
    }
  }
}

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
  const std::string text = ReadRegularFile(result());
  try {
    Json json = ParseJson(text, result());
    if (IsResult(json)) return json;
  } catch (const InputError&) {
  }
  throw InputError(result(), "is not the result of a run: it is damaged",
                   "remove the run's directory to start it over");
}

Json RunRecordToJson(const RunRecord& record) {
  Json json = {{"format", kFormat}, {"data", RunDataToJson(record.data)}};
  json.update(RunConfigToJson(record.config));
  return json;
}

void CheckSameRun(const RunDirectory& run, const RunRecord& wanted) {
  const RunRecord there = run.ReadRecord();
  Json a = RunRecordToJson(there), b = RunRecordToJson(wanted);
  for (Json* json : {&a, &b}) {
    json->erase("drawn");
    json->erase("arithmetic");
    (*json)["data"].erase("path");
    (*json)["data"].erase("language");
    (*json)["data"].erase("files");
  }
  const std::string difference = FirstDifference(a, b);
  if (!difference.empty()) {
    throw InputError(run.path(), fmt::format("is another run: its {}", difference),
                     "give the same settings to go on with it, or name another directory");
  }
  if (!run.is_finished() && there.config.arithmetic != wanted.config.arithmetic) {
    throw InputError(
        run.path(),
        fmt::format("was begun with the arithmetic of version {}; this program computes the {} as "
                    "version {} does, with other bits",
                    there.config.arithmetic, wanted.config.architecture, wanted.config.arithmetic),
        "finish it with the program that began it, or start it over in another directory");
  }
}

std::unique_ptr<OwnedRun> OwnedRun::TryOpen(const fs::path& path, LockObserver& observer,
                                            LockOwner* owner, LockState* state) {
  if (path.empty()) throw InputError("", "the name of the run's directory is empty");
  MakeDirectories(path);
  RunDirectory directory(path);
  directory.CheckIsRunOrEmpty();
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
