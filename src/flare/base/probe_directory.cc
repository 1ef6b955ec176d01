#include "flare/base/probe_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/magic.h>
#include <sys/statfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#endif

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "flare/base/error.h"
#include "flare/base/file.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

#ifdef __linux__
// Not all are in <linux/magic.h>.
constexpr std::uint64_t kLustre = 0x0BD00BD0, kGpfs = 0x47504653, kBeeGfs = 0x19830326,
                        kZfs = 0x2FC12FC1, kXfs = 0x58465342, kFuse = 0x65735546;

struct KnownFileSystem {
  std::uint64_t magic;
  const char* name;
  bool is_network;
};

const KnownFileSystem* Find(std::uint64_t magic) {
  static constexpr KnownFileSystem kKnown[] = {
      {EXT4_SUPER_MAGIC, "ext4", false},
      {BTRFS_SUPER_MAGIC, "btrfs", false},
      {kXfs, "xfs", false},
      {kZfs, "zfs", false},
      {TMPFS_MAGIC, "tmpfs", false},
      {OVERLAYFS_SUPER_MAGIC, "overlay", false},
      {NFS_SUPER_MAGIC, "nfs", true},
      {SMB_SUPER_MAGIC, "smb", true},
      {CEPH_SUPER_MAGIC, "ceph", true},
      {kLustre, "lustre", true},
      {kGpfs, "gpfs", true},
      {kBeeGfs, "beegfs", true},
      {kFuse, "fuse", true},
  };
  for (const KnownFileSystem& known : kKnown) {
    if (known.magic == magic) return &known;
  }
  return nullptr;
}

void NameFileSystem(const struct statfs& status, DirectoryProbe& probe) {
  const auto magic = static_cast<std::uint64_t>(status.f_type) & 0xFFFFFFFFu;
  const KnownFileSystem* known = Find(magic);
  probe.file_system = known != nullptr ? known->name : fmt::format("0x{:x}", magic);
  probe.is_network = known != nullptr && known->is_network;
}

const timespec& WrittenAt(const struct stat& status) { return status.st_mtim; }
#else
void NameFileSystem(const struct statfs& status, DirectoryProbe& probe) {
  probe.file_system = status.f_fstypename;
  probe.is_network = (status.f_flags & MNT_LOCAL) == 0;
}

const timespec& WrittenAt(const struct stat& status) { return status.st_mtimespec; }
#endif

std::string Why(int error) { return std::system_category().message(error); }

std::string TryLinks(const fs::path& folder) {
  const std::string file = folder / "a", name = folder / "b";
  if (::link(file.c_str(), name.c_str()) != 0) return Why(errno);
  if (::link(file.c_str(), name.c_str()) == 0)
    return "a link to a name that is taken is not refused";
  return errno == EEXIST ? "" : Why(errno);
}

std::string TryRename(const fs::path& folder) {
  const std::string from = folder / "from", to = folder / "to";
  WriteFile(from, "new");
  WriteFile(to, "old");
  if (::rename(from.c_str(), to.c_str()) != 0) return Why(errno);
  return ReadRegularFile(to) == "new" ? "" : "a renamed file does not replace the existing one";
}

std::string TryLock(const fs::path& folder) {
  const int first = OpenFile(folder, O_RDONLY | O_DIRECTORY);
  const int second = OpenFile(folder, O_RDONLY | O_DIRECTORY);
  std::string why;
  if (first < 0 || second < 0 || ::flock(first, LOCK_EX | LOCK_NB) != 0) {
    why = Why(errno);
  } else if (::flock(second, LOCK_EX | LOCK_NB) == 0) {
    why = "two can hold the same lock";
  }
  if (first >= 0) ::close(first);
  if (second >= 0) ::close(second);
  return why;
}

double Seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::optional<double> ClockAhead(const fs::path& folder) {
  const std::string file = folder / "clock";
  timespec before{}, after{};
  struct stat status {};
  ::clock_gettime(CLOCK_REALTIME, &before);
  WriteFile(file, "x");
  ::clock_gettime(CLOCK_REALTIME, &after);
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  const double stamped = Seconds(WrittenAt(status));
  // Kernels stamp files with the time of the last tick.
  constexpr double kTick = 0.02;
  if (stamped >= Seconds(before) - kTick && stamped <= Seconds(after)) return 0;
  return stamped - (stamped < Seconds(before) ? Seconds(before) : Seconds(after));
}

}  // namespace

DirectoryProbe ProbeDirectory(const fs::path& directory) {
  if (!fs::is_directory(directory)) throw InputError(directory, "is not a directory");
  DirectoryProbe probe;
  struct statfs status {};
  if (::statfs(directory.c_str(), &status) == 0) {
    NameFileSystem(status, probe);
    probe.free_bytes =
        static_cast<std::uint64_t>(status.f_bavail) * static_cast<std::uint64_t>(status.f_bsize);
  }
  std::string folder = directory / ".flare-doctor-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    probe.writing = Why(errno);
    return probe;
  }
  try {
    WriteFile(fs::path(folder) / "a", "x");
    Sync(folder);
    probe.linking = TryLinks(folder);
    probe.renaming = TryRename(folder);
    probe.locking = TryLock(folder);
    probe.clock_ahead = ClockAhead(folder);
  } catch (const IoError& error) {
    probe.writing = error.what();
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return probe;
}

}  // namespace flare
