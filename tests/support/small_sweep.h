// A sweep that takes seconds: two languages, two architectures, two trials.

#ifndef FLARE_TESTS_SUPPORT_SMALL_SWEEP_H_
#define FLARE_TESTS_SUPPORT_SMALL_SWEEP_H_

#include <filesystem>
#include <map>
#include <string>

namespace flare {

// Writes FOLDER/grid.toml. `epochs` sets how long a run takes: 300 are about half a second.
void WriteSmallGrid(const std::filesystem::path& folder, int epochs);

// `flare sweep run` on it, in FOLDER, with --data data.
std::string SweepCommand(const std::string& out, const std::string& more = "");

// Every run of a sweep by path, as TimelessContents has it.
std::map<std::string, std::map<std::string, std::string>> RunsOf(const std::filesystem::path& out);

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_SMALL_SWEEP_H_
