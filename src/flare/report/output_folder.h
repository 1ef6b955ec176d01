// The folder that a report is written into.

#ifndef FLARE_REPORT_OUTPUT_FOLDER_H_
#define FLARE_REPORT_OUTPUT_FOLDER_H_

#include <filesystem>
#include <set>
#include <string>
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

  // Removes what the last report that came to its end here had, and this one has not, as the tables
  // of a language that is gone; nothing else. Call it last.
  void Finish();

 private:
  std::filesystem::path path_;
  std::set<std::string> written_;
};

}  // namespace flare::report

#endif  // FLARE_REPORT_OUTPUT_FOLDER_H_
