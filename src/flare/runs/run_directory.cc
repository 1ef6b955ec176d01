#include "flare/runs/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <exception>
#include <utility>

#include "flare/base/clock.h"
#include "flare/base/draft.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/integrity.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "flare/runs/events.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// Versions before drafts wrote config.json.4711.tmp and events.jsonl.tmp.
std::string WithoutOldEnding(std::string name) {
  constexpr std::string_view kEnding = ".tmp";
  if (!name.ends_with(kEnding)) return name;
  name.resize(name.size() - kEnding.size());
  const std::size_t dot = name.rfind('.');
  const bool is_pid = dot != std::string::npos && dot + 1 < name.size() &&
                      name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return is_pid ? name.substr(0, dot) : name;
}

// May a run that is not begun have a file of this name?
bool IsOfABeginning(const std::string& name) {
  if (IsLockName(name, "lock") || name == "failure.json") return true;
  // An external program's answers may be there before anything else (flare score).
  if (name == "logits") return true;
  const std::string file = DraftOf(name).value_or(WithoutOldEnding(name));
  if (file == "events.jsonl" || file == "checkpoint.safetensors") return true;
  return file != name && (file == "config.json" || file == "failure.json");
}

// A result that was copied beside another run's config.json would count as that run's.
void CheckOwn(const RunResult& result, const fs::path& config) {
  const auto check = result.run_files.find(config.filename());
  if (check == result.run_files.end() || !fs::exists(config)) return;
  if (check->second == CheckOf(ReadRegularFile(config))) return;
  throw InputError(config, "is not the one that result.json was made with");
}

// Of a directory that is not there: what stands in the way, if anything does.
void CheckCanBeMade(const fs::path& directory) {
  fs::path path = directory;
  while (!path.empty() && !fs::exists(fs::symlink_status(path))) path = path.parent_path();
  if (path.empty() || fs::is_directory(path)) return;
  throw InputError(
      path, fs::is_symlink(path) ? "is a link to no directory" : "exists and is not a directory");
}

// A run that finds out after its training that it may not write there has trained in vain.
void CheckIsWrittenThroughNoLink(const RunDirectory& run) {
  for (const fs::path& file : {run.config(), run.events(), run.checkpoint(), run.model(),
                               run.evaluation(), run.result()}) {
    CheckNoLinks(run.path(), file.filename());
  }
}

}  // namespace

void RunDirectory::CheckIsRunOrEmpty() const {
  if (!fs::exists(path_)) return CheckCanBeMade(path_);
  if (is_begun()) return;
  if (!fs::is_directory(path_)) throw InputError(path_, "exists and is not a directory");
  for (const auto& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    if (IsOfABeginning(name) && HasOurContents(entry.path())) continue;
    if (is_begun()) return;  // meanwhile
    throw InputError(path_, fmt::format("holds something other than a run: {}", Quoted(name)),
                     "name a new or empty directory for the run");
  }
}

// Of names that others use too. What another program trained may have events of that program's.
bool RunDirectory::HasOurContents(const fs::path& file) const {
  if (file == failure()) return HasOwnFailure();
  if (file == events() && !fs::exists(logits_folder())) return AreOurEvents(ReadRegularFile(file));
  return true;
}

bool RunDirectory::HasOwnFailure() const {
  const std::string text = ReadRegularFile(failure());
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return MayHaveBegunWith("{\n  \"reason\": \"", text);
  if (!Member<std::string>(json, "reason") || !Member<std::string>(json, "time")) return false;
  return json.size() == 2 || (json.size() == 3 && Member<std::string>(json, "log"));
}

RunState RunDirectory::Look() const {
  if (is_finished()) return RunState::kFinished;
  if (fs::exists(failure())) return RunState::kFailed;
  if (fs::exists(lock())) return RunState::kRunning;
  return RunState::kLeft;
}

RunConfig RunDirectory::ReadConfig(const Names& names) const {
  if (!is_begun()) {
    throw InputError(path_, "is not a run: it has no config.json", "flare train makes runs");
  }
  JsonReader reader;
  const std::string text = ReadRegularFile(config());
  const JsonValue json = reader.Parse(text, config());
  RunConfig read = ConfigFromJson(json, names);
  VerifyText(text, json, kStartOver);
  return read;
}

RunResult RunDirectory::ReadResult() const {
  JsonReader reader;
  const std::string text = ReadRegularFile(result());
  try {
    const JsonValue json = reader.Parse(text, result());
    RunResult read = ResultFromJson(json);
    VerifyText(text, json, kStartOver);
    CheckOwn(read, config());
    return read;
  } catch (const InputError& error) {
    throw InputError("", fmt::format("{}: the result is damaged", error.what()), kStartOver);
  }
}

std::map<std::string, std::string> RunDirectory::ChecksOfFiles() const {
  std::map<std::string, std::string> checks;
  for (const fs::path& file : {config(), events()}) {
    if (fs::exists(file)) checks[file.filename()] = CheckOf(ReadRegularFile(file));
  }
  return checks;
}

bool RunDirectory::HasNeedlessCheckpoint() const {
  if (!is_finished() || !fs::exists(checkpoint())) return false;
  try {
    // What another program saved under this name may be all that there is of its model.
    JsonReader reader;
    if (reader.Read(config()).Find("external")) return false;
    return !ReadResult().ended_by_limit();
  } catch (const InputError&) {
    return false;  // damaged: the checkpoint may be all that is left
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
    return "?";  // damaged, or gone: it is being tried again
  }
}

void CheckSameRun(const RunDirectory& run, const RunConfig& wanted, const Names& names) {
  const RunConfig there = run.ReadConfig(names);
  const std::string difference = ConfigDifference(there, wanted, names);
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
  if (!directory.is_finished()) CheckIsWrittenThroughNoLink(directory);
  RemoveTemporaries(path);
  for (const fs::path& folder : {directory.evaluation(), directory.extraction()}) {
    if (fs::exists(folder)) RemoveTemporaries(folder);
  }
  if (directory.HasNeedlessCheckpoint()) {
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

void OwnedRun::RemoveFailure() const {
  const fs::path file = directory_.failure();
  if (fs::is_regular_file(file) && directory_.HasOwnFailure()) Remove(file);
}

void OwnedRun::Remove(const fs::path& file) const {
  CheckOwned();
  std::error_code failed;
  fs::remove(file, failed);
  if (failed) throw IoError(file, "remove", failed.value());
}

}  // namespace flare
