#include "flare/report/output_folder.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "flare/base/draft.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"

namespace flare::report {

namespace fs = std::filesystem;

namespace {

// Every page has it.
constexpr std::string_view kTitleOfReports = "<title>FLaRe++ report</title>";

bool IsOfReports(const std::string& name) {
  for (const char* one : {"tables", "figures", "assets", "data", "runs.csv"}) {
    if (DraftOf(name).value_or(name) == one) return true;
  }
  return DraftOf(name) == "index.html";
}

// A report that was killed before its page was written is one still.
void CheckIsReportOrEmpty(const fs::path& folder) {
  const fs::path page = folder / "index.html";
  if (fs::exists(page)) {
    if (ReadFile(page).find(kTitleOfReports) != std::string::npos) return;
    throw InputError(page, "is not a report's", "name a new or empty folder for the report");
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (IsOfReports(name)) continue;
    throw InputError(folder, fmt::format("holds something else than a report: {}", Quoted(name)),
                     "name a new or empty folder for the report");
  }
}

}  // namespace

OutputFolder::OutputFolder(fs::path path) : path_(std::move(path)) {
  MakeDirectories(path_);
  CheckIsReportOrEmpty(path_);
  RemoveTemporaries(path_);
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(path_, ignored)) {
    if (entry.is_directory(ignored)) RemoveTemporaries(entry.path());
  }
}

void OutputFolder::Write(const fs::path& relative, std::string_view contents) {
  const fs::path file = path_ / relative;
  std::error_code error;
  if (fs::file_size(file, error) == contents.size() && !error && ReadFile(file) == contents) return;
  MakeDirectories(file.parent_path());
  // Renamed, so that a reader sees the old file or the new one, but not synced: hundreds of small
  // files would take seconds, and a report that a power cut spoils is made again.
  Draft draft(file);
  draft.Write(contents);
  draft.Rename();
}

}  // namespace flare::report
