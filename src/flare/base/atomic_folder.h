// Folders that are there whole or not at all.
//
// A folder OUT/NAME is filled as OUT/.NAME.partial, by one process at a time, the owner of
// OUT/.NAME.lock, and gets its name by one rename at the end. What a killed process left there is
// known by its marker and goes; anything else under that name is somebody else's.

#ifndef FLARE_BASE_ATOMIC_FOLDER_H_
#define FLARE_BASE_ATOMIC_FOLDER_H_

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "flare/base/lock_file.h"

namespace flare {

// Thrown if the wait for another process was stopped.
struct WaitStopped {};

// An empty folder next to the final one, which only this process uses. Removed at the end unless it
// was completed.
class PartialFolder {
 public:
  // Waits for others that are making the same folder. Throws IoError, and InputError if something
  // else is where the partial folder belongs.
  PartialFolder(const std::filesystem::path& final, const LockWait& wait);
  ~PartialFolder();
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Makes it the final folder, durably. Throws IoError, and InputError if another process has taken
  // over, as it may after we were suspended for minutes.
  void Complete();
  // Moves one file to its place in a final folder that exists.
  void Restore(const std::string& file) const;

 private:
  void CheckOwned() const;

  const std::filesystem::path path_, final_;
  const std::unique_ptr<LockFile> lock_;
  bool completed_ = false;
};

// Makes a folder by fill(partial). False, without a call, if another process made it meanwhile, as
// `exists` says: it is asked again once the lock is ours.
bool MakeAtomically(const std::filesystem::path& folder, const LockWait& wait,
                    const std::function<bool()>& exists,
                    const std::function<void(const std::filesystem::path&)>& fill);

// Removes what a process that was killed at the last moment left next to a complete folder.
// Does nothing if the folder is not writable, or if a file is somebody else's.
void TidyBeside(const std::filesystem::path& folder);

}  // namespace flare

#endif  // FLARE_BASE_ATOMIC_FOLDER_H_
