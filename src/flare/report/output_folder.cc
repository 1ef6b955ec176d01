#include "flare/report/output_folder.h"

#include <system_error>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (fs::exists(folder) && !fs::is_directory(folder)) {
    throw InputError(folder, "is there and no folder");
  }
  if (error) throw IoError(folder, "make", error.value());
}

}  // namespace

OutputFolder::OutputFolder(fs::path path) : path_(std::move(path)) { MakeFolder(path_); }

void OutputFolder::Write(const fs::path& relative, std::string_view contents) {
  const fs::path file = path_ / relative;
  std::error_code error;
  if (fs::file_size(file, error) == contents.size() && !error && ReadFile(file) == contents) return;
  MakeFolder(file.parent_path());
  WriteFileAtomically(file, contents);
}

}  // namespace flare::report
