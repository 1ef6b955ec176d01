// flare doctor [DIR]: whether this machine has what we need, on one page.

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
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

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/process.h"
#include "flare/cli/command.h"
#include "flare/nn/model.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/target.h"

namespace flare {
namespace {

// A line of the page: what was looked at, what was found, and what to do if that is not enough.
struct Finding {
  std::string what, found;
  std::string remedy;  // empty if all is well
};

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// The files of libraries that are in this process.
std::string SharedLibraries() {
  if (!std::filesystem::exists("/proc/self/maps")) return "unknown: there is no /proc";
  std::set<std::string> names;
  std::istringstream maps(ReadFile("/proc/self/maps"));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.rfind('/');
    if (slash == std::string::npos || line.find(".so", slash) == std::string::npos) continue;
    names.insert(line.substr(slash + 1));
  }
  return names.empty() ? "none: linked statically" : fmt::format("{}", fmt::join(names, ", "));
}

// Measures the speed of each target: processor time of a training step, the least of a few that the
// targets take in turn.
class StepTimer {
 public:
  explicit StepTimer(const std::string& target)
      : name_(target),
        model_({.architecture = "transformer", .vocabulary = 2, .layers = 5, .hidden = 32},
               ParseTarget(target)),
        adam_(model_.parameters(), {}) {
    constexpr std::size_t kStrings = 48, kSymbols = 20;
    model_.Initialize(0);
    batch_.vocabulary = 2;
    for (std::size_t i = 0; i < kStrings; ++i) {
      batch_.Add(std::vector<std::uint32_t>(kSymbols, i % 2), i % 3 == 0);
    }
  }

  const std::string& name() const { return name_; }
  double least() const { return least_; }
  void Step() {
    const double begin = ProcessCpuSeconds();
    model_.Gradients(batch_, {}, MakeDropout(0.1, 0, adam_.steps()));
    adam_.Step(0.001, model_.parameters());
    model_.ParametersChanged();
    least_ = std::min(least_, ProcessCpuSeconds() - begin);
  }

 private:
  std::string name_;
  Model model_;
  Optimizer adam_;
  Batch batch_;
  double least_ = std::numeric_limits<double>::infinity();
};

// Measures, in less than half a second, which target is the fastest.
std::string FastestTarget() {
  std::vector<std::unique_ptr<StepTimer>> timers;
  for (const char* name : {"avx2", "avx512", "native"}) {
    if (HasTarget(ParseTarget(name))) timers.push_back(std::make_unique<StepTimer>(name));
  }
  for (int round = 0; round < 6; ++round) {
    for (const auto& timer : timers) timer->Step();
  }
  const auto& best =
      *std::min_element(timers.begin(), timers.end(),
                        [](const auto& a, const auto& b) { return a->least() < b->least(); });
  const auto& first = timers.front();
  if (best == first) return fmt::format("{}, by a short measurement", best->name());
  return fmt::format("{}, {:.2f} times as fast as {} by a short measurement", best->name(),
                     first->least() / best->least(), first->name());
}

void LookAtProcessor(std::vector<Finding>& findings) {
  const bool has_avx2 = DefaultTarget() == "avx2";
  findings.push_back({"cores", std::to_string(std::thread::hardware_concurrency()), ""});
  findings.push_back(
      {"target avx2", has_avx2 ? "yes, and the default" : "not on this processor", ""});
  findings.push_back(
      {"target avx512", HasTarget(Target::kAvx512) ? "yes" : "not on this processor", ""});
  findings.push_back({"target native", NativeTargetName(), ""});
  findings.push_back(
      {"target portable",
       has_avx2 ? "yes" : "yes, and the default; sweeps planned elsewhere may want avx2", ""});
  findings.push_back({"fastest target", FastestTarget(), ""});
}

void Expect(const std::string& what, const std::string& fault, const std::string& remedy,
            std::vector<Finding>& findings) {
  findings.push_back({what, fault.empty() ? "yes" : "no: " + fault, fault.empty() ? "" : remedy});
}

std::string ClockText(double ahead) {
  if (ahead == 0) return "agrees with this machine's";
  return fmt::format("{:.2f} s {} this machine's", std::abs(ahead),
                     ahead > 0 ? "ahead of" : "behind");
}

// Tries what we need of a directory's file system: hard links must fail if the name is taken (for
// our locks), a rename must replace a file (for every file that we write), and directories must be
// lockable. Reads the server's clock, too.
struct DirectoryProbe {
  std::string file_system;  // "ext4", "nfs", or a number if we have no name for it
  bool is_network = false;
  std::uint64_t free_bytes = 0;
  // Empty if it works, else why it does not.
  std::string writing, linking, renaming, locking;
  // The lead of the clock that stamps files over ours, in seconds; nothing if it could not be read.
  std::optional<double> clock_ahead;
};

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

std::string TryLinks(const std::filesystem::path& folder) {
  const std::string file = folder / "a", name = folder / "b";
  if (::link(file.c_str(), name.c_str()) != 0) return Why(errno);
  if (::link(file.c_str(), name.c_str()) == 0)
    return "a link to a name that is taken is not refused";
  return errno == EEXIST ? "" : Why(errno);
}

std::string TryRename(const std::filesystem::path& folder) {
  const std::string from = folder / "from", to = folder / "to";
  WriteFile(from, "new");
  WriteFile(to, "old");
  if (::rename(from.c_str(), to.c_str()) != 0) return Why(errno);
  return ReadRegularFile(to) == "new" ? "" : "a renamed file does not replace the existing one";
}

std::string TryLock(const std::filesystem::path& folder) {
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

std::optional<double> ClockAhead(const std::filesystem::path& folder) {
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

// Works in a temporary folder of its own in the directory. Throws InputError if the path is not a
// directory.
DirectoryProbe ProbeDirectory(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory)) throw InputError(directory, "is not a directory");
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
    WriteFile(std::filesystem::path(folder) / "a", "x");
    Sync(folder);
    probe.linking = TryLinks(folder);
    probe.renaming = TryRename(folder);
    probe.locking = TryLock(folder);
    probe.clock_ahead = ClockAhead(folder);
  } catch (const IoError& error) {
    probe.writing = error.what();
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return probe;
}

void LookAtDirectory(const std::string& directory, std::vector<Finding>& findings) {
  const DirectoryProbe probe = ProbeDirectory(directory);
  findings.push_back({"directory", std::filesystem::absolute(directory).string(), ""});
  findings.push_back(
      {"file system", probe.file_system + (probe.is_network ? ", over a network" : ""), ""});
  constexpr double kGigabyte = 1e9, kLeast = 1e9;
  const auto free = static_cast<double>(probe.free_bytes);
  findings.push_back({"free space", fmt::format("{:.1f} GB", free / kGigabyte),
                      free >= kLeast ? "" : "the paper's datasets and runs take several GB"});
  Expect("can be written", probe.writing, "choose another directory", findings);
  if (!probe.writing.empty()) return;
  Expect("links refuse a taken name", probe.linking,
         "several workers must not share a sweep here: use one machine, or another file system",
         findings);
  Expect("renames replace", probe.renaming, "keep runs on another file system", findings);
  Expect("directories can be locked", probe.locking, "generate each dataset from one process only",
         findings);
  constexpr double kSkew = 60;
  if (probe.clock_ahead) {
    findings.push_back(
        {"its clock", ClockText(*probe.clock_ahead),
         std::abs(*probe.clock_ahead) < kSkew ? "" : "the clocks should be synchronized"});
  }
}

// Looks for programs that only some commands need.
void LookAtPrograms(std::vector<Finding>& findings) {
  const auto slurm = RunProgram({"sinfo", "--noheader", "--format=%P %a %D"});
  if (!slurm) {
    findings.push_back({"Slurm", "not installed: sweep submit will not work here", ""});
  } else if (slurm->exit_code != 0) {
    findings.push_back(
        {"Slurm", "sinfo says: " + FirstLine(slurm->errors), "ask the cluster's administrators"});
  } else {
    findings.push_back({"Slurm", "answers", ""});
  }
  const auto python =
      RunProgram({"python3", "-c", "import flarelang; print(flarelang.__version__)"});
  if (!python) {
    findings.push_back({"Python", "not installed", ""});
  } else if (python->exit_code != 0) {
    findings.push_back({"Python module flarelang", "not found", ""});
  } else {
    findings.push_back({"Python module flarelang", FirstLine(python->output), ""});
  }
}

}  // namespace

std::function<int()> DoctorCommand(CLI::App& app) {
  const auto directory = std::make_shared<std::string>(".");
  app.add_option("DIR", *directory, "where runs or data are to be kept")
      ->type_name("DIR")
      ->capture_default_str();
  return [directory] {
    std::vector<Finding> findings = {{"flare", Version(), ""},
                                     {"compiler", __VERSION__, ""},
                                     {"shared libraries", SharedLibraries(), ""}};
    LookAtProcessor(findings);
    LookAtDirectory(*directory, findings);
    LookAtPrograms(findings);
    std::size_t width = 0;
    for (const Finding& finding : findings) width = std::max(width, finding.what.size());
    bool is_well = true;
    std::string page;
    for (const Finding& finding : findings) {
      page += fmt::format("{:<{}}  {}\n", finding.what, width, finding.found);
      if (finding.remedy.empty()) continue;
      page += fmt::format("{:<{}}  ! {}\n", "", width, finding.remedy);
      is_well = false;
    }
    Print(page);
    return static_cast<int>(is_well ? kDone : kNegativeAnswer);
  };
}

}  // namespace flare
