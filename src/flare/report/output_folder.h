// The folder that a report is written into.

#ifndef FLARE_REPORT_OUTPUT_FOLDER_H_
#define FLARE_REPORT_OUTPUT_FOLDER_H_

#include <filesystem>
#include <string_view>

namespace flare::report {

// Every index.html has it: only its page shows that a folder is a report's, as users' own folders
// may have tables, figures and runs.csv.
inline constexpr std::string_view kTitleOfReports = "<title>FLaRe++ report</title>";

class OutputFolder {
 public:
  // Makes the folder if it does not exist, and a page in it that says what it is, until the real
  // one comes. Throws IoError, or InputError if the path is a file, or a folder that holds
  // something other than a report.
  explicit OutputFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }

  // Replaces the file by the contents, atomically, and makes the folders above it; leaves it alone
  // if it has these contents already, so that making a report again touches only what changed.
  void Write(const std::filesystem::path& relative, std::string_view contents);

 private:
  std::filesystem::path path_;
};

}  // namespace flare::report

#endif  // FLARE_REPORT_OUTPUT_FOLDER_H_
