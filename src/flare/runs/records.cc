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

Records ReadRecords(const Sweep& sweep, const Names& names) {
  std::set<std::string> runs;
  for (const Coordinates& at : sweep.grid.Runs()) runs.insert(at.Path());
  Records records;
  JsonReader reader;
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    const fs::path file = RecordsFile(sweep.out, language.name);
    if (!fs::exists(file)) continue;
    const std::string text = ReadRegularFile(file);
    if (!text.empty() && text.back() != '\n') {
      throw InputError(file, "its last line is not complete", "restore the file");
    }
    std::string_view rest = text;
    reader.ForEachLine(text, file, [&](const JsonValue& json, std::size_t) {
      const std::size_t length = rest.find('\n');
      RunRecord record = RecordFromLine(rest.substr(0, length), json, names);
      rest.remove_prefix(length + 1);
      const std::string path = record.at.Path();
      if (record.at.language != language.name || !runs.contains(path)) {
        json.Fail(fmt::format("the run {} does not belong here", Quoted(path)));
      }
      if (!records.emplace(path, std::move(record)).second) {
        json.Fail(fmt::format("the run {} is there twice", Quoted(path)));
      }
    });
  }
  return records;
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
