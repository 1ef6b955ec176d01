#include "flare/runs/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

// Trials last, as numbers: the lines of new trials stand between old ones, which do not change.
auto SortKey(const Coordinates& at) {
  return std::tie(at.variant, at.loss, at.validation, at.budget, at.trial);
}

}  // namespace

namespace {

// Adds the runs of a file's text. Throws InputError for a line of which it is not known what it is.
void ReadLines(const fs::path& file, const std::string& language, const std::set<std::string>& runs,
               const Names& names, RecordsRead& read) {
  JsonReader reader;
  const std::string text = ReadRegularFile(file);
  std::size_t number = 0;
  for (const std::string_view line : Lines(text)) {
    const std::string where = FileLine(file, ++number);
    const Coordinates at = RecordedRun(line, where, reader);
    const std::string path = at.Path();
    const auto refuse = [&](const char* why) {
      throw InputError(where, fmt::format("the run {} {}", Quoted(path), why),
                       "remove the line, and collect the run again");
    };
    if (at.language != language || !runs.contains(path)) refuse("does not belong here");
    if (read.records.contains(path) || read.damaged.contains(path)) refuse("is listed twice");
    try {
      read.records.emplace(path, RecordFromLine(line, where, reader, names));
    } catch (const InputError& error) {
      read.damaged[path] = error.what();
    }
  }
}

}  // namespace

RecordsRead ReadRecords(const Sweep& sweep, const Names& names) {
  std::set<std::string> runs;
  for (const Coordinates& at : sweep.grid.Runs()) runs.insert(at.Path());
  RecordsRead read;
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    const fs::path file = RecordsFile(sweep.out, language.name);
    try {
      if (fs::exists(file)) ReadLines(file, language.name, runs, names, read);
    } catch (...) {
      read.unreadable[language.name] = CaughtFault();
    }
  }
  for (const Coordinates& at : sweep.grid.Runs()) {
    const auto file = read.unreadable.find(at.language);
    if (file == read.unreadable.end()) continue;
    read.records.erase(at.Path());
    read.damaged[at.Path()] = file->second;
  }
  return read;
}

std::string FormatRecords(const Records& records, const std::string& language, const Names& names) {
  std::vector<const RunRecord*> sorted;
  for (const auto& [path, record] : records) {
    if (record.at.language == language) sorted.push_back(&record);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const RunRecord* a, const RunRecord* b) { return SortKey(a->at) < SortKey(b->at); });
  std::string text;
  for (const RunRecord* record : sorted) text += RecordLine(*record, names);
  return text;
}

}  // namespace flare
