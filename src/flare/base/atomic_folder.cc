#include "flare/base/atomic_folder.h"

#include <fmt/format.h>

#include <system_error>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/long_work.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

fs::path Beside(const fs::path& folder, const char* extension) {
  return folder.parent_path() / fmt::format(".{}.{}", folder.filename().string(), extension);
}

fs::path LockOf(const fs::path& folder) { return Beside(folder, "lock"); }
fs::path PartialOf(const fs::path& folder) { return Beside(folder, "partial"); }

std::unique_ptr<LockFile> Claim(const fs::path& folder, const LockWait& given) {
  LockWait wait = given;
  wait.stop = [&] {
    Interruption::Check();
    return given.stop && given.stop();
  };
  auto lock = WaitForLock(LockOf(folder), wait);
  if (lock == nullptr) throw WaitStopped{};
  return lock;
}

// Every partial folder gets this file before any other.
constexpr const char* kMarker = ".flare-partial";

// Is this a partial folder of ours? Version 0.2 left no marker in it, but beside it the lock of the
// process that died.
bool IsLeftBehind(const fs::path& partial, const LockFile& lock) {
  if (!fs::is_directory(fs::symlink_status(partial))) return false;
  return lock.was_taken_over() || fs::is_empty(partial) || fs::exists(partial / kMarker);
}

// The marker goes last, so that what cannot be removed now is still ours the next time.
void RemovePartial(const fs::path& partial, std::error_code& failed) {
  for (fs::directory_iterator entry(partial, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().filename() == kMarker) continue;
    fs::remove_all(entry->path(), failed);
    if (failed) return;
  }
  if (failed == std::errc::no_such_file_or_directory) failed.clear();
  if (!failed) fs::remove_all(partial, failed);
}

void Rename(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw IoError(to, "rename", error.value());
  Sync(to.parent_path());
}

}  // namespace

PartialFolder::PartialFolder(const fs::path& final, const LockWait& wait)
    : path_(PartialOf(final)), final_(final), lock_(Claim(final, wait)) {
  RemoveTemporaries(final_.parent_path());
  if (fs::exists(fs::symlink_status(path_)) && !IsLeftBehind(path_, *lock_)) {
    throw InputError(path_, "stands where flare would make the dataset",
                     "it is not a folder that flare was filling: move it away");
  }
  std::error_code failed;
  RemovePartial(path_, failed);
  if (failed) throw IoError(path_, "remove", failed.value());
  MakeDirectories(path_);
  WriteFile(path_ / kMarker, "");
}

PartialFolder::~PartialFolder() {
  std::error_code ignored;
  if (!completed_ && lock_->StillOurs()) RemovePartial(path_, ignored);
}

void PartialFolder::Complete() {
  // All files are written before the first is synced, so that the disk works on them together.
  try {
    for (const auto& entry : fs::recursive_directory_iterator(path_)) Sync(entry.path());
  } catch (const fs::filesystem_error& error) {
    // The error does not always say where.
    throw IoError(path_, "search", error.code().value());
  }
  std::error_code failed;
  fs::remove(path_ / kMarker, failed);
  if (failed) throw IoError(path_ / kMarker, "remove", failed.value());
  Sync(path_);
  CheckOwned();
  Rename(path_, final_);
  completed_ = true;
}

void PartialFolder::Restore(const std::string& file) const {
  Sync(path_ / file);
  CheckOwned();
  MakeDirectories((final_ / file).parent_path());
  Rename(path_ / file, final_ / file);
}

void PartialFolder::CheckOwned() const {
  if (!lock_->StillOurs()) {
    throw InputError(final_, "another process has taken over the making of this folder");
  }
}

bool MakeAtomically(const fs::path& folder, const LockWait& wait,
                    const std::function<bool()>& exists,
                    const std::function<void(const fs::path&)>& fill) {
  MakeDirectories(folder.parent_path());
  PartialFolder partial(folder, wait);
  if (exists()) return false;
  fill(partial.path());
  partial.Complete();
  return true;
}

void TidyBeside(const fs::path& folder) {
  const fs::path lock = LockOf(folder), partial = PartialOf(folder);
  try {
    RemoveTemporaries(folder.parent_path());
    if (!fs::exists(lock)) return;
    LockObserver observer;
    const auto ours = LockFile::TryAcquire(lock, observer);
    std::error_code ignored;
    if (ours != nullptr && IsLeftBehind(partial, *ours)) RemovePartial(partial, ignored);
  } catch (...) {
    CaughtFault();
  }
}

}  // namespace flare
