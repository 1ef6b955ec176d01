// CONTRIBUTING.md lists the places that an addition touches. A file that names every member of a
// catalogue has to name the next one, too, so it must be on the list.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/classes/classification.h"
#include "flare/data/dataset_config.h"
#include "flare/languages/catalog.h"
#include "flare/nn/architectures.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/schedule.h"
#include "flare/report/tables.h"
#include "flare/runs/run_settings.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

struct Catalogue {
  std::string addition;  // the row of CONTRIBUTING.md's table
  std::set<std::string> members;
  // Members are common words, which count only where they are marked as names ("lm", `lm`, rec+lm)
  // or are in a list, as in messages.
  bool is_marked = true;
};

std::vector<Catalogue> Catalogues() {
  Catalogue languages{"a regular language", {}, false}, terms{"a term of the loss", {}};
  Catalogue architectures{"an architecture", {}}, options{"an option of an architecture", {}};
  Catalogue optimizers{"an optimizer", {}}, schedules{"a schedule of the learning rate", {}};
  Catalogue settings{"a setting of runs", {}}, fields{"a setting of datasets", {}, false};
  Catalogue tables{"a table", {}, false}, classes{"a class of regular languages", {}, false};
  Catalogue commands{"a command", {}};
  for (const CatalogEntry& entry : Catalog()) {
    if (entry.language_class == LanguageClass::kRegular) languages.members.insert(entry.name);
  }
  for (const LossTermInfo& term : LossTermCatalog()) terms.members.insert(term.name);
  for (const Architecture& architecture : Architectures()) {
    architectures.members.insert(architecture.name);
    for (const Option& option : architecture.options) options.members.insert(option.name);
  }
  for (const OptimizerInfo& optimizer : OptimizerCatalog()) {
    optimizers.members.insert(optimizer.name);
  }
  for (const ScheduleInfo& schedule : ScheduleCatalog()) schedules.members.insert(schedule.name);
  RunSettings run;
  VisitSettings(run, [&](const std::string& name, auto&&...) { settings.members.insert(name); });
  // In TOML a setting is named within its table: `stop_probability` below `[negatives]`.
  DatasetConfig dataset = MakePreset("flare");
  VisitFields(dataset, [&](const std::string& key, auto&&...) {
    fields.members.insert(key.substr(key.rfind('.') + 1));
  });
  for (const report::TableKind& table : report::TableCatalogue()) tables.members.insert(table.name);
  for (const std::string_view key : classes::PropertyKeys()) {
    if (!key.starts_with("tier_") && !key.starts_with("co_")) {
      classes.members.insert(std::string(key));
    }
  }
  for (const auto& entry : fs::directory_iterator(fs::path(SourceDir()) / "src/flare/cli")) {
    std::string name = entry.path().stem().string();
    if (!name.starts_with("cmd_") || entry.path().extension() != ".cc") continue;
    std::replace(name.begin(), name.end(), '_', '-');
    commands.members.insert(name.substr(4));
  }
  return {languages, terms,  architectures, options, optimizers, schedules,
          settings,  fields, tables,        classes, commands};
}

// Is the name at [begin, end) one of a list in a sentence, as in "rnn, lstm and gru"?
bool IsInList(const std::string& text, std::size_t begin, std::size_t end) {
  const auto ends_before = [&](std::string_view part) {
    return begin >= part.size() && text.compare(begin - part.size(), part.size(), part) == 0;
  };
  return text[end] == ',' || ends_before(", ") || ends_before("and ");
}

bool Mentions(const std::string& text, const std::string& name, bool is_marked,
              bool in_lists = true) {
  const auto is_mark = [](char c) {
    return std::string_view("\"'`/+=").find(c) != std::string_view::npos;
  };
  const auto ends_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-';
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (at == 0 || end == text.size()) continue;
    if (is_mark(text[at - 1]) && is_mark(text[end])) return true;
    const bool is_word = ends_name(text[at - 1]) && ends_name(text[end]);
    if (is_word && (!is_marked || (in_lists && IsInList(text, at, end)))) return true;
  }
  return false;
}

// The table of CONTRIBUTING.md: what stands in backticks, and where links lead, by addition.
std::map<std::string, std::vector<std::string>> ListedPlaces() {
  static const std::regex place("`([^`]+)`|\\]\\(([^)#]+)[^)]*\\)");
  std::map<std::string, std::vector<std::string>> rows;
  const std::string page = ReadFile(fs::path(SourceDir()) / "CONTRIBUTING.md");
  const std::string table = page.substr(page.find("## The places of an addition"));
  for (const std::string_view line : Lines(table)) {
    if (!line.starts_with("| ") || line.starts_with("| to add")) continue;
    const std::size_t bar = line.find(" | ");
    const std::string row(line.substr(bar));
    std::string addition(line.substr(2, bar - 2));
    addition = addition.substr(0, addition.find_first_of(",("));
    if (addition.ends_with(' ')) addition.pop_back();
    auto& places = rows[addition];
    for (std::sregex_iterator m(row.begin(), row.end(), place), end; m != end; ++m) {
      places.push_back((*m)[1].matched ? (*m)[1].str() : (*m)[2].str());
    }
  }
  return rows;
}

// A place as a pattern: NAME stands for a member's name; `runs/metrics.{h,cc}` for two files.
std::regex PatternOf(std::string place) {
  std::string pattern;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place.compare(i, 4, "NAME") == 0) {
      pattern += "[^/]+";
      i += 3;
    } else if (place[i] == '.') {
      pattern += "\\.";
    } else if (place[i] == '{' || place[i] == '}') {
      pattern += place[i] == '{' ? '(' : ')';
    } else {
      pattern += place[i] == ',' ? '|' : place[i];
    }
  }
  return std::regex("(src/flare/)?" + pattern + "(/.*)?");
}

std::map<std::string, std::string> TextFiles() {
  const fs::path root = SourceDir();
  std::map<std::string, std::string> files;
  for (const char* folder : {"src", "tests", "python", "docs", "bench", "tools", "scripts"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      static const std::set<std::string> extensions = {".cc", ".h",  ".py", ".pyi",
                                                       ".md", ".js", ".txt"};
      const std::string path = fs::relative(entry.path(), root).string();
      if (!extensions.contains(entry.path().extension()) || path.starts_with("tests/fixtures") ||
          path.starts_with("tests/golden") || path.starts_with("docs/release-notes") ||
          // What was measured on a day.
          path == "docs/background/performance.md") {
        continue;
      }
      files[path] = ReadFile(entry.path());
    }
  }
  for (const char* page : {"README.md", "ARCHITECTURE.md"}) files[page] = ReadFile(root / page);
  return files;
}

TEST(Additions, PlacesThatNameEveryMemberAreListed) {
  const auto files = TextFiles();
  const auto rows = ListedPlaces();
  for (const Catalogue& catalogue : Catalogues()) {
    ASSERT_GE(catalogue.members.size(), 3u) << catalogue.addition;
    ASSERT_TRUE(rows.contains(catalogue.addition)) << "'" << catalogue.addition << "'";
    std::vector<std::regex> listed;
    for (const std::string& place : rows.at(catalogue.addition)) {
      if (place.find_first_of(" =()*?") == std::string::npos) listed.push_back(PatternOf(place));
    }
    std::size_t found = 0;
    for (const auto& [path, text] : files) {
      const bool names_all = std::all_of(
          catalogue.members.begin(), catalogue.members.end(),
          [&](const std::string& name) { return Mentions(text, name, catalogue.is_marked); });
      if (!names_all) continue;
      ++found;
      const bool is_listed =
          std::any_of(listed.begin(), listed.end(),
                      [&](const std::regex& place) { return std::regex_match(path, place); });
      if (is_listed) continue;
      ADD_FAILURE() << path << " names every member of the catalogue to which one adds "
                    << catalogue.addition
                    << ": ask the catalogue there, or list the file in CONTRIBUTING.md";
    }
    EXPECT_GE(found, 1u) << "no file names every member of the catalogue to which one adds "
                         << catalogue.addition
                         << ": the newest member is missing where CONTRIBUTING.md asks for it";
  }
}

// So a new member that a page, a test or the Python module lacks is noticed. A listed file that
// names no member says how to add one, or makes the others. Sources are asked by their own tests.
// Two members may be missing: GAP judges groups, and R∞ has the witnesses of its two parts.
TEST(Additions, ListedFilesThatNameMembersNameAll) {
  const auto files = TextFiles();
  const auto rows = ListedPlaces();
  const std::set<std::pair<std::string, std::string>> needless = {
      {"tests/support/naive_classes.cc", "solvable"},
      {"tests/support/witness_checker.cc", "r_infinity"}};
  std::size_t complete = 0;
  for (const Catalogue& catalogue : Catalogues()) {
    for (const std::string& place : rows.at(catalogue.addition)) {
      const auto file = files.find(place);
      if (file == files.end()) continue;
      std::string missing;
      std::size_t named = 0;
      for (const std::string& name : catalogue.members) {
        if (Mentions(file->second, name, catalogue.is_marked, false)) {
          ++named;
        } else if (!Mentions(file->second, name, catalogue.is_marked) &&
                   !needless.contains({place, name})) {
          missing += " " + name;
        }
      }
      if (named == 0) continue;
      EXPECT_EQ(missing, "") << place << ", where one adds " << catalogue.addition;
      ++complete;
    }
  }
  EXPECT_GT(complete, 25u);
}

// What the list names is there: files, those with NAME for some name, and the functions in them.
TEST(Additions, PlacesThatAreListedExist) {
  const fs::path root = SourceDir();
  std::set<std::string> paths;
  for (const char* folder :
       {"src/flare", "tests", "python", "docs", "papers", "tools", "cmake", "bench"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      paths.insert(fs::relative(entry.path(), root).string());
    }
  }
  static const std::regex path_like("[\\w./{},-]*/[\\w./{},-]+");
  static const std::regex function_like("[A-Z][a-z]+([A-Z][a-z]+)+");
  std::size_t seen = 0;
  for (const auto& [addition, places] : ListedPlaces()) {
    std::string texts;
    for (const std::string& place : places) {
      if (!std::regex_match(place, path_like)) continue;
      const std::regex pattern = PatternOf(place);
      bool exists = false;
      for (const std::string& path : paths) {
        if (!std::regex_match(path, pattern)) continue;
        exists = true;
        if (fs::is_regular_file(root / path) && place.find("NAME") == std::string::npos) {
          texts += ReadFile(root / path);
        }
      }
      EXPECT_TRUE(exists) << addition << ": " << place;
      ++seen;
    }
    for (const std::string& place : places) {
      if (!std::regex_match(place, function_like)) continue;
      EXPECT_NE(texts.find(place), std::string::npos) << addition << ": " << place;
      ++seen;
    }
  }
  EXPECT_GT(seen, 70u);
}

}  // namespace
}  // namespace flare
