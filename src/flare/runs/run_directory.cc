#include "flare/runs/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <utility>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"

namespace flare {
namespace {

constexpr std::uint64_t kConfigFormat = 1;

Json DataToJson(const PinnedData& data) {
  if (!data.known_sha256.empty()) {
    return {
        {"language", data.language}, {"alphabet", data.alphabet}, {"sha256", data.known_sha256}};
  }
  return {{"path", data.path.string()},
          {"language", data.language},
          {"alphabet", data.alphabet},
          {"sha256", data.Sha256OfAll()},
          {"files", data.files}};
}

PinnedData DataFromJson(const JsonValue& json) {
  PinnedData data;
  data.language = json.String("language");
  data.alphabet = json.Strings("alphabet");
  if (!json.Find("path") && !json.Find("files")) {
    data.known_sha256 = json.String("sha256");
    if (data.known_sha256.empty()) json.Fail("data: the hash is empty");
    return data;
  }
  data.path = json.String("path");
  if (data.alphabet.empty()) json.Fail("data: the alphabet is empty");
  json.At("files").ForEach([&](std::string_view name, const JsonValue& hash) {
    data.files[std::string(name)] = hash.AsString(name);
  });
  return data;
}

}  // namespace

std::string PinnedData::Sha256OfAll() const {
  if (!known_sha256.empty()) return known_sha256;
  std::string listing;
  for (const auto& [name, hash] : files) listing += name + " " + hash + "\n";
  return Sha256(listing);
}

Json ConfigToJson(const RunConfig& config) {
  Json json = {{kFormatMember, kConfigFormat}, {"data", DataToJson(config.data)}};
  json.update(SettingsToJson(config.settings));
  if (config.external) json["external"] = ExternalToJson(*config.external);
  return json;
}

RunConfig ConfigFromJson(const JsonValue& json) {
  CheckFormat(json, kConfigFormat);
  const std::vector<std::string> others = {kFormatMember, "data", "external", kCheckMember};
  if (!json.Find("external")) {
    return {SettingsFromJson(json, others), DataFromJson(json.At("data"))};
  }
  const External external = ExternalFromJson(json.String("architecture"), json.At("external"));
  CheckExternal(external, json.where());
  return {SettingsFromJson(json, others, {external}), DataFromJson(json.At("data")), external};
}

std::string ConfigDifference(const RunConfig& there, const RunConfig& wanted) {
  const std::string difference = SettingsDifference(there.settings, wanted.settings);
  if (!difference.empty()) return difference;
  const auto what = [](const RunConfig& config) {
    const PinnedData& data = config.data;
    return Json{{"data", {{"alphabet", data.alphabet}, {"sha256", data.Sha256OfAll()}}},
                {"external", config.external ? ExternalToJson(*config.external) : Json(nullptr)}};
  };
  return FirstDifference(what(there), what(wanted));
}

std::string Name(RunState state) {
  switch (state) {
    case RunState::kLeft:
      return "left";
    case RunState::kRunning:
      return "running";
    case RunState::kFailed:
      return "failed";
    case RunState::kFinished:
      return "finished";
    case RunState::kDiverged:
      return "diverged";
    case RunState::kDamaged:
      return "damaged";
  }
  __builtin_unreachable();
}
namespace fs = std::filesystem;

namespace {

// Is this the name of a file that may exist before a run begins in the directory?
bool MayPrecedeRun(const std::string& name) {
  return IsLockName(name, "lock") || DraftOf(name).has_value();
}

// Throws InputError if a file or a dangling link is where the directory would be created.
void CheckCanBeMade(const fs::path& directory) {
  fs::path path = directory;
  while (!path.empty() && !fs::exists(fs::symlink_status(path))) path = path.parent_path();
  if (path.empty() || fs::is_directory(path)) return;
  throw InputError(
      path, fs::is_symlink(path) ? "is a link to no directory" : "exists and is not a directory");
}

// Version 0.2 recorded the first 16 digits of a hash.
bool IsHashOf(const std::string& hash, std::string_view text) {
  constexpr std::size_t kDigits02 = 16;
  const std::string whole = Sha256(text);
  return hash == whole || (hash.size() == kDigits02 && whole.starts_with(hash));
}

// Is it our failure.json, or already removed by a worker that retries the run?
bool IsFailure(const fs::path& file) {
  try {
    JsonReader reader;
    return reader.Read(file).Find("reason").has_value();
  } catch (const InputError&) {
    return !fs::exists(file);
  }
}

InputError DamagedResult(const InputError& error) {
  return InputError("", fmt::format("{}: the result is damaged", error.what()), kStartOver);
}

}  // namespace

void RunDirectory::CheckIsRunOrEmpty() const {
  if (!fs::exists(path_)) return CheckCanBeMade(path_);
  if (!fs::is_directory(path_)) throw InputError(path_, "exists and is not a directory");
  const auto is_ours = [&] { return is_begun() || fs::exists(logits_folder()); };
  if (is_ours()) return;
  for (const auto& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    if (name == failure().filename() ? IsFailure(failure()) : MayPrecedeRun(name)) continue;
    if (is_ours()) return;  // a run was begun meanwhile
    throw InputError(path_, fmt::format("holds something other than a run: {}", Quoted(name)),
                     "name a new or empty directory for the run");
  }
}

RunState RunDirectory::Look() const {
  if (is_finished()) return RunState::kFinished;
  if (fs::exists(failure())) return RunState::kFailed;
  if (fs::exists(lock())) return RunState::kRunning;
  return RunState::kLeft;
}

RunConfig RunDirectory::ReadConfig() const {
  if (!is_begun()) {
    throw InputError(path_, "is not a run: it has no config.json", "flare train makes runs");
  }
  JsonReader reader;
  const std::string text = ReadRegularFile(config());
  const JsonValue json = reader.Parse(text, config());
  RunConfig read = ConfigFromJson(json);
  VerifyText(text, json, kStartOver);
  return read;
}

RunResult RunDirectory::ReadResult() const {
  RunResult read = ReadResultAlone();
  try {
    // Refuse a result that was copied beside the config.json of another run.
    ReadFileOf(read, config().filename());
  } catch (const InputError& error) {
    throw DamagedResult(error);
  }
  return read;
}

RunResult RunDirectory::ReadResultAlone() const {
  JsonReader reader;
  const std::string text = ReadRegularFile(result());
  std::optional<JsonValue> json;
  try {
    json = reader.Parse(text, result());
    if (!json->IsObject()) json->Fail("expected an object");
  } catch (const InputError& error) {
    throw DamagedResult(error);
  }
  CheckFormat(*json, kResultFormat);  // refuses a newer format, which is not damage
  try {
    RunResult read = ResultFromJson(*json);
    VerifyText(text, *json, kStartOver);
    return read;
  } catch (const InputError& error) {
    throw DamagedResult(error);
  }
}

std::optional<std::string> RunDirectory::ReadFileOf(const RunResult& result,
                                                    const std::string& file) const {
  const auto hash = result.files.find(file);
  const bool is_listed = hash != result.files.end();
  if (!fs::exists(path_ / file)) {
    if (is_listed)
      throw InputError(path_ / file, "is missing, and result.json lists it", kStartOver);
    return std::nullopt;
  }
  std::string text = ReadRegularFile(path_ / file);
  if (is_listed && !IsHashOf(hash->second, text)) {
    throw InputError(path_ / file, "is not the file that result.json lists: its SHA-256 differs",
                     kStartOver);
  }
  return text;
}

bool RunDirectory::HasStaleCheckpoint() const {
  if (!is_finished() || !fs::exists(checkpoint())) return false;
  try {
    // An external program may have saved its only model under this name.
    JsonReader reader;
    if (reader.Read(config()).Find("external")) return false;
    return !ReadResult().ended_by_limit();
  } catch (const InputError&) {
    return false;  // damaged, so that the checkpoint may be all that is left
  }
}

std::string RunDirectory::ReasonOfFailure() const {
  try {
    JsonReader reader;
    const std::string reason = reader.Read(failure()).StringOr("reason", "?");
    const bool is_one_line = std::none_of(reason.begin(), reason.end(),
                                          [](unsigned char c) { return std::iscntrl(c) != 0; });
    return is_one_line ? reason : Quoted(reason);
  } catch (const std::exception&) {
    return "?";  // damaged, or removed because the run is being retried
  }
}

void CheckSameRun(const RunDirectory& run, const RunConfig& wanted) {
  const RunConfig there = run.ReadConfig();
  const std::string difference = ConfigDifference(there, wanted);
  if (!difference.empty()) {
    throw InputError(run.path(), fmt::format("is a different run: its {}", difference),
                     "give the same settings to continue it, or name another directory");
  }
  if (!run.is_finished()) CheckSameArithmetic(run, there, wanted);
}

void CheckSameArithmetic(const RunDirectory& run, const RunConfig& there, const RunConfig& wanted) {
  if (there.settings.arithmetic != wanted.settings.arithmetic) {
    throw InputError(
        run.path(),
        fmt::format("was begun with the arithmetic of version {}; this program computes the {} as "
                    "version {} does, with other bits",
                    there.settings.arithmetic, wanted.settings.architecture,
                    wanted.settings.arithmetic),
        "finish it with the program that began it, or start over in another directory");
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
  for (const fs::path& folder : {directory.evaluation(), directory.extraction()}) {
    if (fs::exists(folder)) RemoveTemporaries(folder);
  }
  if (directory.HasStaleCheckpoint()) {
    std::error_code ignored;
    fs::remove(directory.checkpoint(), ignored);
  }
  return std::unique_ptr<OwnedRun>(new OwnedRun(std::move(directory), std::move(lock)));
}

void OwnedRun::CheckOwned() const {
  if (!lock_->StillOurs()) throw RunLost{};
}

void OwnedRun::Write(const fs::path& file, std::string_view contents) const {
  CheckOwned();
  const fs::path& folder = directory_.path();
  WriteInside(folder, file.lexically_relative(folder), contents, [this] { CheckOwned(); });
}

void OwnedRun::RecordFailure(const std::string& reason, const std::string& log) const {
  Json failure = {{"reason", reason}, {"time", UtcNow()}};
  if (!log.empty()) failure["log"] = log;
  Write(directory_.failure(), JsonText(failure));
}

void OwnedRun::RemoveFailure() const { Remove(directory_.failure()); }

void OwnedRun::Remove(const fs::path& file) const {
  CheckOwned();
  std::error_code failed;
  fs::remove(file, failed);
  if (failed) throw IoError(file, "remove", failed.value());
}

}  // namespace flare
