// Are two run directories the same, times and durations aside?

#ifndef FLARE_TESTS_SUPPORT_SAME_RUN_H_
#define FLARE_TESTS_SUPPORT_SAME_RUN_H_

#include <filesystem>
#include <map>
#include <string>

namespace flare {

// Every file of a run, or of a directory with runs, by relative path: its bytes, with the values of
// time, seconds and rates in JSON replaced. `lock` files are left out, and of a checkpoint it only
// counts that it is there.
std::map<std::string, std::string> TimelessContents(const std::filesystem::path& run);

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_SAME_RUN_H_
