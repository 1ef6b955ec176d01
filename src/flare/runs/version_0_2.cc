#include "flare/runs/version_0_2.h"

#include "flare/base/error.h"
#include "flare/base/sha256.h"
#include "flare/runs/run_directory.h"

namespace flare {
namespace {

constexpr std::size_t kDigits = 16;
constexpr std::string_view kBefore = ",\"check\":\"", kAfter = "\"}";

}  // namespace

std::map<std::string, std::string> FilesInResult02(const JsonValue& result) {
  std::map<std::string, std::string> files;
  const auto add = [&](std::string_view member, const std::string& folder) {
    const auto checks = result.Find(member);
    if (!checks) return;
    checks->ForEach([&](std::string_view name, const JsonValue& check) {
      files[folder + std::string(name)] = check.AsString(name);
    });
  };
  add("evaluation_files", "eval/");
  add("run_files", "");
  return files;
}

void VerifyEvents02(std::string_view text, const std::string& file) {
  Sha256Stream before;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return;
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t tail = kBefore.size() + kDigits + kAfter.size();
    ++number;
    const bool has_check = line.size() > tail && line.ends_with(kAfter) &&
                           line.substr(line.size() - tail).starts_with(kBefore);
    const std::string without =
        std::string(line.substr(0, line.size() - (has_check ? tail : 0))) + (has_check ? "}" : "");
    const std::string_view check =
        has_check ? line.substr(line.size() - tail + kBefore.size(), kDigits) : "";
    if (!has_check || before.HexWith(without).substr(0, kDigits) != check) {
      throw InputError(FileLine(file, number),
                       "its check is wrong: this line or one before it was damaged", kStartOver);
    }
    before.Add(text.substr(begin, end + 1 - begin));
    begin = end + 1;
  }
}

}  // namespace flare
