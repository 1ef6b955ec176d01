// Tries what we need of a directory's file system: that a link is refused if the name is taken (our
// locks), that a rename replaces (every file we write), that a directory can be locked, and what
// the server's clock says.

#ifndef FLARE_BASE_PROBE_DIRECTORY_H_
#define FLARE_BASE_PROBE_DIRECTORY_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace flare {

struct DirectoryProbe {
  std::string file_system;  // "ext4", "nfs", or a number if we have no name for it
  bool is_network = false;
  std::uint64_t free_bytes = 0;
  // Empty if it works, else why it does not.
  std::string writing, linking, renaming, locking;
  // How far the clock that stamps files is ahead of ours, in seconds; nothing if it was not seen.
  std::optional<double> clock_ahead;
};

// Makes a folder of its own in the directory and removes it. Throws InputError if the path is not a
// directory.
DirectoryProbe ProbeDirectory(const std::filesystem::path& directory);

}  // namespace flare

#endif  // FLARE_BASE_PROBE_DIRECTORY_H_
