#include "flare/report/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/sha256.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

void AddFile(const fs::path& path, std::vector<std::string>& lines) {
  // Locks are touched all the time; a report says only that they are there.
  if (path.filename() == "lock") lines.push_back(path);
  if (path.extension() != ".json" && path.extension() != ".jsonl") return;
  std::error_code gone;
  const auto size = fs::file_size(path, gone);
  const auto time = fs::last_write_time(path, gone).time_since_epoch().count();
  if (!gone) lines.push_back(fmt::format("{} {} {}", path.string(), size, time));
}

// Changes when a file that a report reads comes, goes or changes. Files may come and go meanwhile.
std::string Fingerprint(const std::vector<fs::path>& sweeps) {
  std::vector<std::string> lines;
  for (const fs::path& sweep : sweeps) {
    std::error_code error;
    // sweep.json, and of records a file per language.
    for (fs::directory_iterator at(sweep, error), end; !error && at != end; at.increment(error)) {
      AddFile(at->path(), lines);
    }
    for (const char* folder : {"baselines", "datasets", "runs"}) {
      for (fs::recursive_directory_iterator at(sweep / folder, error), end; !error && at != end;
           at.increment(error)) {
        AddFile(at->path(), lines);
      }
    }
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return Sha256(all);
}

// The report as of now. Nothing if a file disappeared while it was read, as when a failed run is
// tried again: the next attempt will do. A fault that persists is thrown.
std::optional<ReportSummary> TryWrite(const std::vector<fs::path>& sweeps, const Names& names,
                                      const fs::path& to, const std::string& before,
                                      const ReportOptions& options) {
  try {
    return WriteReport(sweeps, names, to, options);
  } catch (const InputError&) {
    if (Fingerprint(sweeps) == before) throw;
    return std::nullopt;
  }
}

}  // namespace

void WatchReport(const std::vector<fs::path>& sweeps, const Names& names, const fs::path& to,
                 std::size_t seconds, ReportOptions options,
                 const std::function<void(const ReportSummary&)>& made) {
  std::string last;
  while (true) {
    const std::string now = Fingerprint(sweeps);
    if (now != last) {
      options.refresh_seconds = seconds;
      const auto summary = TryWrite(sweeps, names, to, now, options);
      if (summary) {
        last = now;
        if (summary->IsOver()) {
          options.refresh_seconds = 0;  // the page need no longer look
          made(WriteReport(sweeps, names, to, options));
          return;
        }
        made(*summary);
      }
    }
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
  }
}

}  // namespace flare::report
