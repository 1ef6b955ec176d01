#include "flare/report/output_folder.h"

#include <system_error>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"

namespace flare::report {

namespace fs = std::filesystem;

OutputFolder::OutputFolder(fs::path path) : path_(std::move(path)) { MakeDirectories(path_); }

void OutputFolder::Write(const fs::path& relative, std::string_view contents) {
  const fs::path file = path_ / relative;
  std::error_code error;
  if (fs::file_size(file, error) == contents.size() && !error && ReadFile(file) == contents) return;
  MakeDirectories(file.parent_path());
  // Renamed, so that a reader sees the old file or the new one, but not synced: hundreds of small
  // files would take seconds, and a report that a power cut spoils is made again.
  const fs::path temporary = file.string() + ".tmp";
  fs::remove(temporary, error);
  WriteFile(temporary, contents);
  fs::rename(temporary, file, error);
  if (error) throw IoError(file, "rename", error.value());
}

}  // namespace flare::report
