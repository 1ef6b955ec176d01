// Tries out what we need of a directory's file system: hard links must fail if the name is taken
// (for our locks), a rename must replace (for every file that we write), and directories can be
// locked. Reads the server's clock, too.

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
  // How far the clock that stamps files is ahead of ours, in seconds; nothing if it could not be
  // read.
  std::optional<double> clock_ahead;
};

// Works in a temporary folder of its own in the directory. Throws InputError if the path is not a
// directory.
DirectoryProbe ProbeDirectory(const std::filesystem::path& directory);

}  // namespace flare

#endif  // FLARE_BASE_PROBE_DIRECTORY_H_
