#include "flare/report/output_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"

namespace flare::report {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPage = "index.html";
// The files of the last report that came to its end, a line each.
constexpr const char* kFileList = ".files";
constexpr const char* kHint = "name a new or empty folder for the report";

void CheckIsReportOrEmpty(const fs::path& folder) {
  if (fs::exists(folder / kPage)) {
    if (ReadRegularFile(folder / kPage).find(kTitleOfReports) == std::string::npos) {
      throw InputError(folder / kPage, "is not a report's", kHint);
    }
    return;
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (DraftOf(name) == kPage) continue;
    // Another report may have begun since we looked.
    if (fs::exists(folder / kPage)) return CheckIsReportOrEmpty(folder);
    throw InputError(folder, fmt::format("holds something other than a report: {}", Quoted(name)),
                     kHint);
  }
}

// The list is a file that anybody may have changed.
bool IsInside(const fs::path& relative) {
  return !relative.empty() && relative.is_relative() &&
         std::find(relative.begin(), relative.end(), "..") == relative.end();
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
  if (!fs::exists(path_ / kPage)) {
    Write(kPage,
          fmt::format("<!DOCTYPE html>\n{}\n<p>The report is being made, or was interrupted.\n",
                      kTitleOfReports));
  }
}

void OutputFolder::Write(const fs::path& relative, std::string_view contents) {
  written_.insert(relative.lexically_normal().generic_string());
  const fs::path file = path_ / relative;
  CheckNoLinks(path_, relative.parent_path());
  std::error_code error;
  if (fs::file_size(file, error) == contents.size() && !error && ReadRegularFile(file) == contents)
    return;
  MakeDirectories(file.parent_path());
  // Renamed, so that a reader sees the old file or the new one, but not synced: hundreds of small
  // files would take seconds, and a report that a power cut damages can be made again.
  Draft draft(file);
  draft.Write(contents);
  draft.Rename();
}

void OutputFolder::Finish() {
  std::string now;
  for (const std::string& file : written_) now += file + "\n";
  const fs::path list = path_ / kFileList;
  const std::string before = fs::exists(list) ? ReadRegularFile(list) : "";
  for (const std::string_view line : Lines(before)) {
    const fs::path file(line);
    if (written_.contains(std::string(line)) || !IsInside(file)) continue;
    CheckNoLinks(path_, file.parent_path());
    std::error_code gone;
    if (!fs::is_regular_file(fs::symlink_status(path_ / file, gone))) continue;
    fs::remove(path_ / file, gone);
    // Its folder, if that is empty now.
    if (file.has_parent_path()) fs::remove(path_ / file.parent_path(), gone);
  }
  Write(kFileList, now);
}

}  // namespace flare::report
