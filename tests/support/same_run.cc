#include "support/same_run.h"

#include <regex>

#include "flare/base/file.h"

namespace flare {

namespace fs = std::filesystem;

std::map<std::string, std::string> TimelessContents(const fs::path& run) {
  static const std::regex times(
      R"re("(time|seconds|cpu_seconds|training_seconds|examples_per_second|check|events\.jsonl)": ?("[^"]*"|[-+.0-9e]+))re");
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    const std::string name = entry.path().filename();
    const bool is_lock = name.starts_with("lock") || name.ends_with(".lock");
    if (!entry.is_regular_file() || is_lock) continue;
    std::string text = ReadFile(entry.path());
    if (name == "checkpoint.safetensors") text.clear();  // it says how long everything took
    if (name == "events.jsonl" || name == "result.json") {
      text = std::regex_replace(text, times, "\"$1\":0");
    }
    contents[entry.path().lexically_relative(run)] = text;
  }
  return contents;
}

}  // namespace flare
