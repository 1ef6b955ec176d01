// The order of the rooms, the places of third-party headers, and what the
// documentation names: what a reviewer would otherwise have to remember.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "support/installed.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

const fs::path kRoot = SourceDir();

std::vector<fs::path> FilesUnder(const fs::path& folder, const std::set<std::string>& extensions) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (extensions.contains(entry.path().extension())) files.push_back(entry.path());
  }
  return files;
}

// Calls visit(file, included path) for every #include of the sources.
template <class Visit>
void ForEachInclude(Visit visit) {
  static const std::regex include("#include [<\"]([^>\"]+)[>\"].*");
  std::size_t seen = 0;
  for (const fs::path& file : FilesUnder(kRoot / "src", {".h", ".cc"})) {
    const std::string text = ReadFile(file);
    for (const std::string_view line : Lines(text)) {
      std::cmatch match;
      if (!std::regex_match(line.data(), line.data() + line.size(), match, include)) continue;
      visit(fs::relative(file, kRoot / "src"), match[1].str());
      ++seen;
    }
  }
  EXPECT_GT(seen, 100u);
}

std::string RoomOf(const fs::path& path) { return (++path.begin())->string(); }

TEST(Rooms, IncludeOnlyTheRoomsTheyBuildOn) {
  const std::map<std::string, std::set<std::string>> allowed = {
      {"base", {"base"}},
      {"runs", {"base", "automata", "classes", "grammars", "languages", "nn", "runs"}},
      {"automata", {"base", "automata"}},
      {"classes", {"base", "automata", "classes"}},
      {"theory", {"base", "automata", "classes", "theory"}},
      {"grammars", {"base", "automata", "grammars"}},
      {"languages", {"base", "automata", "classes", "grammars", "languages"}},
      {"data", {"base", "automata", "classes", "grammars", "languages", "data"}},
      {"nn", {"base", "nn"}},
      {"training",
       {"base", "runs", "automata", "classes", "grammars", "languages", "data", "nn", "training"}},
      {"extraction",
       {"base", "runs", "automata", "classes", "grammars", "languages", "data", "nn", "training",
        "extraction"}},
      {"experiments",
       {"base", "runs", "automata", "classes", "grammars", "languages", "data", "nn", "training",
        "extraction", "experiments"}},
      {"report",
       {"base", "runs", "automata", "classes", "theory", "grammars", "languages", "data",
        "extraction", "report"}},
      {"cli",
       {"base", "runs", "automata", "classes", "theory", "grammars", "languages", "data", "nn",
        "training", "extraction", "experiments", "report", "cli"}},
  };
  ForEachInclude([&](const fs::path& file, const std::string& included) {
    if (!included.starts_with("flare/")) return;
    ASSERT_TRUE(allowed.count(RoomOf(file))) << file << " is in no known room";
    EXPECT_TRUE(allowed.at(RoomOf(file)).count(RoomOf(included))) << file << ": " << included;
  });
}

// The executable paper is what the tests hold production against, so production must not depend on
// it.
TEST(Rooms, LeaveTheExecutablePaperToTheTests) {
  const std::string paper = "flare/automata/paper/";
  std::size_t seen = 0;
  ForEachInclude([&](const fs::path& file, const std::string& included) {
    if (!included.starts_with(paper)) return;
    EXPECT_TRUE(file.string().starts_with(paper)) << file << ": " << included;
    ++seen;
  });
  EXPECT_GT(seen, 5u);
}

// Several files of a room are compiled at a time (CMakeLists.txt), so what is in their unnamed
// namespaces must differ: types and constants in name, functions in their first line.
TEST(Rooms, FilesKeepDifferentThingsToThemselves) {
  const std::regex type("(?:struct|class|enum class) (\\w+)[^;]*");
  const std::regex constant("(?:constexpr|const) .*?(\\bk\\w+)(?:\\[.*\\])? ?[={].*");
  const std::regex function("(\\w.*\\(.*\\)(?: noexcept)?) \\{");
  std::map<std::pair<fs::path, std::string>, fs::path> seen;  // by folder and what is declared
  for (const char* folder : {"src", "tests"}) {
    for (const fs::path& file : FilesUnder(kRoot / folder, {".cc"})) {
      const fs::path room = file.parent_path();
      // These are compiled one by one.
      if (room.string().find("/nn") != std::string::npos) continue;
      if (file.stem().string().ends_with("_shim")) continue;
      const std::string text = ReadFile(file);
      bool unnamed = false;
      for (const std::string_view line : Lines(text)) {
        if (line == "namespace {") unnamed = true;
        if (line == "}  // namespace") unnamed = false;
        std::cmatch match;
        const auto is = [&](const std::regex& pattern) {
          return std::regex_match(line.data(), line.data() + line.size(), match, pattern);
        };
        if (!unnamed || !(is(type) || is(constant) || is(function))) continue;
        const fs::path& first = seen.insert({{room, match[1].str()}, file}).first->second;
        EXPECT_EQ(first, file) << "both have " << match[1];
      }
    }
  }
  EXPECT_GT(seen.size(), 500u);
}

// Two types of one name in different rooms compile and link, and then one is destroyed as the
// other.
TEST(Types, HaveNamesOfTheirOwn) {
  static const std::regex begins(R"(namespace( [\w:]+)? \{.*)"), ends(R"(\}  // namespace.*)"),
      defines(R"((struct|class|union|enum class) (\w+)( final)?( :.*| \{.*))");
  std::map<std::string, std::string> homes;  // by namespace and name
  for (const fs::path& file : FilesUnder(kRoot / "src", {".h", ".cc"})) {
    const std::string text = ReadFile(file);
    std::vector<std::string> spaces;
    for (const std::string_view view : Lines(text)) {
      const std::string line(view);
      std::smatch match;
      if (std::regex_match(line, match, begins)) {
        spaces.push_back(match[1]);
      } else if (std::regex_match(line, ends)) {
        if (!spaces.empty()) spaces.pop_back();
      } else if (std::regex_match(line, match, defines)) {
        std::string name;
        bool is_local = false;
        for (const std::string& space : spaces) {
          is_local = is_local || space.empty();
          name += space + "::";
        }
        if (is_local) continue;
        const auto [home, is_new] = homes.try_emplace(name + match[2].str(), file.string());
        EXPECT_TRUE(is_new) << home->first << " is in " << home->second << " and in " << file;
      }
    }
  }
  EXPECT_GT(homes.size(), 200u);
}

TEST(ThirdPartyHeaders, StayInOnePlaceEach) {
  const std::vector<std::pair<std::string, std::regex>> places = {
      {"Random123/", std::regex("flare/base/rng\\.cc")},
      {"gmpxx.h",
       std::regex("flare/automata/paper/semirings\\.h|"
                  "flare/extraction/difference\\.cc|flare/languages/binary_arithmetic\\.h")},
      {"libxsmm", std::regex("flare/nn/kernels/kernel_maker_libxsmm\\.cc")},
      {"hwy/", std::regex("flare/nn/kernels/.*")},
      {"CLI/", std::regex("flare/cli/command\\.h")},
      {"nlohmann/", std::regex("flare/base/json\\.h")},
      {"openssl/", std::regex("flare/base/sha256\\.cc")},
      {"simdjson", std::regex("flare/data/flare_files\\.cc")},
      {"graphviz/", std::regex("flare/report/automaton_svg\\.cc")},
      {"toml++", std::regex("flare/base/toml_settings\\.h")},
      {"linear.h", std::regex("flare/data/baselines\\.cc")},
  };
  ForEachInclude([&](const fs::path& file, const std::string& included) {
    for (const auto& [header, place] : places) {
      if (!included.starts_with(header)) continue;
      EXPECT_TRUE(std::regex_match(file.string(), place)) << file << ": " << included;
    }
  });
}

// A paper is data (papers/): the code of reports names none, nor does it speak of "the paper". Two
// names of other rooms are exempt.
TEST(Report, KnowsNoPaper) {
  const std::regex exempt("flare/languages/paper_names\\.h|CheckPaperName|rejects_by_paper");
  const std::regex paper("[Pp]aper|butoi");
  std::size_t files = 0;
  for (const fs::path& file :
       FilesUnder(kRoot / "src/flare/report", {".h", ".cc", ".js", ".css"})) {
    ++files;
    const std::string text = ReadFile(file);
    for (const std::string_view line : Lines(text)) {
      const std::string code =
          std::regex_replace(std::string(line.substr(0, line.find("//"))), exempt, "");
      EXPECT_FALSE(std::regex_search(code, paper)) << file << ": " << code;
    }
  }
  EXPECT_GT(files, 30u);
}

// A folder of papers/ is all that a paper needs: its grid is a preset, and what it publishes is
// named by it.
TEST(Papers, HaveAGridPublishedValuesAndNotes) {
  std::set<std::string> names;
  std::size_t papers = 0;
  for (const auto& paper : fs::directory_iterator(kRoot / "papers")) {
    if (!paper.is_directory() || paper.path().filename() == "__pycache__") continue;
    ++papers;
    for (const char* file : {"published.json", "README.md"}) {
      EXPECT_TRUE(fs::exists(paper.path() / file)) << paper.path() << ": " << file;
    }
    // Or what makes one, of files that are not part of the repository.
    EXPECT_TRUE(fs::exists(paper.path() / "grid.toml") || fs::exists(paper.path() / "make-grid"))
        << paper.path();
  }
  EXPECT_GT(papers, 0u);
  std::vector<fs::path> grids = FilesUnder(kRoot / "papers", {".toml"});
  for (const fs::path& grid : FilesUnder(kRoot / "configs", {".toml"})) grids.push_back(grid);
  for (const fs::path& grid : grids) {
    std::smatch name;
    const std::string text = ReadFile(grid);
    ASSERT_TRUE(std::regex_search(text, name, std::regex("(?:^|\n)name = \"([^\"]+)\"\n"))) << grid;
    EXPECT_TRUE(names.insert(name[1]).second) << grid << ": another preset is called " << name[1];
  }
  EXPECT_TRUE(names.contains("paper") && names.contains("demo"));
}

// Who starts a process must wait for it, and see that it ends with us.
TEST(Processes, AreStartedInOnePlace) {
  const std::regex starts(R"((::|\b)(fork|vfork|waitpid|wait4|posix_spawnp?|popen|system)\()");
  std::size_t seen = 0;
  for (const fs::path& file : FilesUnder(kRoot / "src", {".h", ".cc"})) {
    const std::string text = ReadFile(file);
    for (const std::string_view line : Lines(text)) {
      const std::string code(line.substr(0, line.find("//")));
      if (!std::regex_search(code, starts)) continue;
      ++seen;
      EXPECT_EQ(fs::relative(file, kRoot / "src"), "flare/base/process.cc") << code;
    }
  }
  EXPECT_GT(seen, 2u);
}

// A library that prints or exits cannot live in somebody else's process.
TEST(Libraries, DoNotPrintAndDoNotExit) {
  const std::regex prints(
      "std(out|err)\\b|(fmt::|std::|\\b)v?f?(print|printf|puts)\\(|std::(cout|cerr|clog)\\b|"
      "(std::|::|\\b)(exit|quick_exit|abort)\\(");
  // Most lines have none of these words, which are found faster than the pattern is matched.
  const std::vector<std::string_view> words = {"print",  "puts", "exit", "abort", "stdout",
                                               "stderr", "cout", "cerr", "clog"};
  const auto may_match = [&](std::string_view line) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return line.find(word) != line.npos; });
  };
  // A process that we started for work of ours is our own.
  const std::set<fs::path> may = {"flare/base/process.cc", "flare/experiments/run_process.cc"};
  std::size_t seen = 0;
  for (const fs::path& file : FilesUnder(kRoot / "src", {".h", ".cc"})) {
    const fs::path name = fs::relative(file, kRoot / "src");
    const std::string text = ReadFile(file);
    for (const std::string_view line : Lines(text)) {
      const std::string code(line.substr(0, line.find("//")));
      if (!may_match(code) || !std::regex_search(code, prints)) continue;
      if (RoomOf(name) == "cli" || may.contains(name)) {
        ++seen;
      } else {
        ADD_FAILURE() << name << ": " << code;
      }
    }
  }
  EXPECT_GT(seen, 5u);
}

// Calls visit(page, first group) for every match in the documentation.
template <class Visit>
void ForEachInPages(const std::string& pattern, Visit visit) {
  const std::regex regex(pattern);
  std::vector<fs::path> pages = FilesUnder(kRoot / "docs", {".md"});
  pages.push_back(kRoot / "README.md");
  pages.push_back(kRoot / "ARCHITECTURE.md");
  pages.push_back(kRoot / "CONTRIBUTING.md");
  std::size_t seen = 0;
  for (const fs::path& page : pages) {
    const std::string text = ReadFile(page);
    for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
      visit(page, (*match)[1].str());
      ++seen;
    }
  }
  EXPECT_GT(seen, 5u);
}

// Sides of a merge that nobody has chosen between.
TEST(Tree, HasNoConflictMarkers) {
  std::size_t seen = 0;
  for (const char* folder : {"src", "tests", "docs", "python", "papers", "scripts", "cmake"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (!entry.is_regular_file() || entry.path().extension() == ".pyc") continue;
      ++seen;
      const std::string text = "\n" + ReadFile(entry.path());
      for (const char* marker : {"\n<<<<<<< ", "\n>>>>>>> "}) {
        EXPECT_THAT(text, Not(HasSubstr(marker))) << entry.path();
      }
    }
  }
  EXPECT_GT(seen, 500u);
}

// One version, which VERSION says, and which the program, the changes and the citation agree with.
TEST(Version, IsTheSameEverywhere) {
  const std::string file = ReadFile(kRoot / "VERSION");
  ASSERT_TRUE(std::regex_match(file, std::regex("[0-9]+[.][0-9]+[.][0-9]+\n"))) << file;
  const std::string version = file.substr(0, file.size() - 1);
  EXPECT_EQ(version, Version());
  const std::string changes = ReadFile(kRoot / "CHANGELOG.md");
  std::smatch newest;
  ASSERT_TRUE(std::regex_search(changes, newest,
                                std::regex("\n## ([0-9.]+) \\(([0-9]{4}-[0-9]{2}-[0-9]{2})\\)")));
  EXPECT_EQ(newest[1], version);
  const std::string citation = ReadFile(kRoot / "CITATION.cff");
  EXPECT_THAT(citation, HasSubstr("\nversion: " + version + "\n"));
  EXPECT_THAT(citation, HasSubstr("\ndate-released: " + newest[2].str() + "\n"));
  const std::string notes = "docs/release-notes/" + version.substr(0, version.rfind('.')) + ".md";
  EXPECT_THAT(ReadFile(kRoot / notes),
              HasSubstr("# FLaRe++ " + version.substr(0, version.rfind('.'))));
}

// Nobody runs them here, so a step whose target or file is gone would go unnoticed.
TEST(Workflows, UseTargetsAndFilesThatExist) {
  const std::string makefile = "\n" + ReadFile(kRoot / "Makefile");
  std::string workflows;
  for (const fs::path& file : FilesUnder(kRoot / ".github/workflows", {".yml"})) {
    workflows += ReadFile(file);
  }
  const std::regex run("run: make ([a-z -]+)"), file("\\b(?:docs|scripts|packaging)/[\\w./-]+");
  std::size_t seen = 0;
  for (std::sregex_iterator match(workflows.begin(), workflows.end(), run), end; match != end;
       ++match) {
    std::istringstream targets((*match)[1]);
    for (std::string target; targets >> target; ++seen) {
      EXPECT_THAT(makefile, HasSubstr("\n" + target + ":"));
    }
  }
  EXPECT_GT(seen, 3u);
  for (std::sregex_iterator match(workflows.begin(), workflows.end(), file), end; match != end;
       ++match) {
    EXPECT_TRUE(fs::exists(kRoot / match->str())) << match->str();
  }
  const std::string version = Version();
  EXPECT_THAT(workflows, HasSubstr("body_path: docs/release-notes/" +
                                   version.substr(0, version.rfind('.')) + ".md"));
}

// The page explains messages word by word, apart from what … stands for.
TEST(Documentation, MessagesThatItExplainsAreThoseOfTheProgram) {
  std::string sources;
  for (const char* folder : {"src/flare", "python/flarelang"}) {
    for (const fs::path& file : FilesUnder(kRoot / folder, {".cc", ".py"})) {
      sources += ReadFile(file);
    }
  }
  // A literal may go on in the next line.
  sources = std::regex_replace(sources, std::regex("\"\\s*\\n\\s*f?\""), "");
  const std::string page = ReadFile(kRoot / "docs/reference/messages.md");
  const std::regex message("\n\\| `([^`]+)` \\|");
  std::size_t seen = 0;
  for (std::sregex_iterator match(page.begin(), page.end(), message), end; match != end; ++match) {
    ++seen;
    const std::string text = std::regex_replace((*match)[1].str(), std::regex("…"), "\n");
    for (const std::string_view part : Lines(text)) {
      const std::size_t begin = part.find_first_not_of(" :,"), last = part.find_last_not_of(" :,");
      if (begin == std::string_view::npos) continue;
      const std::string_view text_of_it = part.substr(begin, last - begin + 1);
      EXPECT_NE(sources.find(text_of_it), std::string::npos) << text_of_it;
    }
  }
  EXPECT_GT(seen, 25u);
}

TEST(Documentation, LinksLeadSomewhere) {
  ForEachInPages("\\]\\(([^)#]+)[^)]*\\)", [](const fs::path& page, const std::string& target) {
    if (target.find("://") != std::string::npos) return;
    EXPECT_TRUE(fs::exists(page.parent_path() / target)) << page << ": " << target;
  });
}

// What newcomers ask is a heading that the site's search shows for these words: a heading that
// contains them and is at most twice as long.
TEST(Documentation, HeadingsAnswerWhatNewcomersAsk) {
  std::vector<std::string> asked = {
      "gpu",         "macos",  "cite",         "negative examples", "resume",
      "length bins", "format", "weight decay", "architecture",      "how exact is sampling"};
  ForEachInPages("(?:^|\n)#+ ([^\n]+)", [&](const fs::path&, std::string heading) {
    for (char& c : heading) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::erase_if(asked, [&](const std::string& words) {
      return heading.find(words) != std::string::npos && heading.size() <= 2 * words.size();
    });
  });
  EXPECT_EQ(asked, std::vector<std::string>());
}

// Tables, code and words that are longer than a line aside.
TEST(Documentation, LinesFitIn100Columns) {
  if (!Installed("python3")) GTEST_SKIP() << "python3 is not installed";
  const ShellResult check = RunShell("'" + (kRoot / "scripts/wrap-docs").string() + "' --check");
  EXPECT_EQ(check.exit_code, 0) << check.output;
}

TEST(Documentation, PathsThatItNamesExist) {
  // In the repository, or, as rooms are usually named, below src/flare.
  ForEachInPages(
      "`((?:src|tests|configs|papers|scripts|bench|tools|cmake|base|automata|languages|nn|training|"
      "extraction|experiments|report|cli|data|grammars|classes|theory)/[A-Za-z0-9_./-]+)`",
      [](const fs::path& page, const std::string& path) {
        if (path.find("NAME") != std::string::npos) return;  // of a file that is to be added
        EXPECT_TRUE(fs::exists(kRoot / path) || fs::exists(kRoot / "src/flare" / path))
            << page << ": " << path;
      });
}

// ARCHITECTURE.md answers questions by a name and the file in which it stands.
TEST(Documentation, NamesStandInTheFileBesideThem) {
  static const std::regex row(R"(\| .* \| `(\w+)` \| \[.*\]\((.*)\) \|)");
  std::size_t seen = 0;
  const std::string text = ReadFile(kRoot / "ARCHITECTURE.md");
  for (const std::string_view line : Lines(text)) {
    std::cmatch match;
    if (!std::regex_match(line.data(), line.data() + line.size(), match, row)) continue;
    EXPECT_THAT(ReadFile(kRoot / match[2].str()), HasSubstr(match[1].str())) << line;
    ++seen;
  }
  EXPECT_GT(seen, 10u);
}

// Its walks name a file per hop.
TEST(Documentation, FilesOfTheWalksExist) {
  static const std::regex hop(R"( *[0-9]* +([a-z]+/[a-z_0-9/]+)(\.cc|\.h|,)? .*)");
  std::size_t seen = 0;
  bool is_walk = false;
  const std::string text = ReadFile(kRoot / "ARCHITECTURE.md");
  for (const std::string_view line : Lines(text)) {
    if (line.starts_with("```")) is_walk = false;
    if (line.starts_with("flare ")) is_walk = true;
    std::cmatch match;
    if (!is_walk || !std::regex_match(line.data(), line.data() + line.size(), match, hop)) continue;
    const std::string path = (kRoot / "src/flare" / match[1].str()).string();
    EXPECT_TRUE(fs::exists(path) || fs::exists(path + ".cc") || fs::exists(path + ".h")) << line;
    ++seen;
  }
  EXPECT_GT(seen, 30u);
}

// "Seven hops; eight files to open." stands above each walk, and is what it shows.
TEST(Documentation, WalksSayHowManyHopsAndFilesTheyHave) {
  const std::vector<std::string> numbers = {
      "zero", "one", "two",    "three",  "four",     "five",     "six",     "seven",  "eight",
      "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"};
  const auto number_of = [&](std::string word) {
    word[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
    return std::find(numbers.begin(), numbers.end(), word) - numbers.begin();
  };
  static const std::regex says("(\\w+) hops; (\\w+) files to open.*"), hop(" *([0-9]+) .*");
  // The files of a hop, as cli/cmd_report.cc, or runs/run, records.
  static const std::regex files(R"(\b([a-z]+)/([a-z_0-9]+)(?:\.cc|\.h)?((?:, [a-z_0-9]+)*))");
  std::size_t seen = 0;
  std::ptrdiff_t hops_said = 0, files_said = 0, hops = 0;
  std::set<std::string> opened;
  const auto open = [&](const std::string& path) {
    const std::string file = (kRoot / "src/flare" / path).string();
    if (fs::exists(file + ".cc") || fs::exists(file + ".h")) opened.insert(path);
  };
  const std::string text = ReadFile(kRoot / "ARCHITECTURE.md");
  for (const std::string_view view : Lines(text)) {
    const std::string line(view);
    std::smatch match;
    if (std::regex_match(line, match, says)) {
      hops_said = number_of(match[1]);
      files_said = number_of(match[2]);
      opened.clear();
    } else if (line.starts_with("```") && hops_said > 0 && !opened.empty()) {
      EXPECT_EQ(hops, hops_said) << testing::PrintToString(opened);
      EXPECT_EQ(std::ssize(opened), files_said) << testing::PrintToString(opened);
      hops_said = 0;
      ++seen;
    } else if (hops_said > 0) {
      if (std::regex_match(line, match, hop)) hops = std::stol(match[1]);
      for (std::sregex_iterator at(line.begin(), line.end(), files), end; at != end; ++at) {
        const std::string room = (*at)[1].str() + "/";
        open(room + (*at)[2].str());
        std::istringstream more((*at)[3].str());
        for (std::string name; std::getline(more, name, ',');) {
          if (!name.empty()) open(room + name.substr(1));
        }
      }
    }
  }
  EXPECT_EQ(seen, 4u);
}

TEST(Documentation, TargetsThatItNamesExist) {
  const std::string makefile = "\n" + ReadFile(kRoot / "Makefile");
  ForEachInPages("(?:`|    )make ([a-z-]+)", [&](const fs::path& page, const std::string& target) {
    EXPECT_TRUE(std::regex_search(makefile, std::regex("\n([a-z-]+ )*" + target + "( [a-z-]+)*:")))
        << page << ": make " << target;
  });
}

TEST(Documentation, OptionsThatItNamesExist) {
  std::string help;
  const std::string flare = FlareProgram();
  for (const std::string command : {"",
                                    "languages",
                                    "show",
                                    "classify",
                                    "sample",
                                    "recognize",
                                    "edit-distance",
                                    "generate",
                                    "verify",
                                    "baselines",
                                    "train",
                                    "evaluate",
                                    "predict",
                                    "states",
                                    "extract",
                                    "report",
                                    "plot",
                                    "sweep plan",
                                    "sweep run",
                                    "sweep work",
                                    "sweep submit",
                                    "sweep status",
                                    "sweep list",
                                    "sweep collect",
                                    "sweep extract",
                                    "score",
                                    "doctor"}) {
    const ShellResult result = RunShell(flare + " " + command + " --help");
    EXPECT_EQ(result.exit_code, 0) << command;
    help += result.output;
  }
  // A part of the Python module is a command, too.
  help += ReadFile(kRoot / "python/flarelang/huggingface.py");
  const std::set<std::string> of_others = {"--isymbols", "--osymbols", "--account", "--gtest",
                                           "--build",    "--install",  "--prefix"};
  ForEachInPages("(--[a-z][a-z-]+)", [&](const fs::path& page, const std::string& option) {
    if (of_others.contains(option)) return;
    EXPECT_TRUE(std::regex_search(help, std::regex("[ ,]" + option + "[ ,{\n]")))
        << page << ": " << option;
  });
}

// `Suite`, `Suite.Test`, or `Test` of some suite; … stands for the rest.
TEST(Documentation, TestsThatItNamesExist) {
  std::set<std::string> suites, tests, qualified;
  const std::regex definition("^TEST(?:_F|_P)?\\((\\w+),\\s+(\\w+)");
  for (const fs::path& file : FilesUnder(kRoot / "tests", {".cc"})) {
    const std::string text = ReadFile(file);
    for (std::size_t at = 0; (at = text.find("\nTEST", at)) != text.npos; ++at) {
      const std::string line = text.substr(at + 1, text.find('{', at) - at - 1);
      std::smatch match;
      if (!std::regex_search(line, match, definition)) continue;
      suites.insert(match[1]);
      tests.insert(match[2]);
      qualified.insert(match[1].str() + "." + match[2].str());
    }
  }
  const auto has = [](const std::set<std::string>& names, const std::string& name, bool begins) {
    const auto at = names.lower_bound(name);
    return at != names.end() && (begins ? at->starts_with(name) : *at == name);
  };
  const std::string page = ReadFile(kRoot / "docs/background/reliability.md");
  const std::regex name("`([A-Z][a-z]\\w*(?:\\.\\w+)?)(…)?`");
  std::size_t seen = 0;
  for (std::sregex_iterator match(page.begin(), page.end(), name), end; match != end; ++match) {
    const bool begins = (*match)[2].matched;
    EXPECT_TRUE(has(suites, (*match)[1], false) || has(tests, (*match)[1], begins) ||
                has(qualified, (*match)[1], begins))
        << match->str();
    ++seen;
  }
  EXPECT_GT(seen, 20u);
}

TEST(Documentation, TableOfLanguagesIsTheCatalogue) {
  const std::string table = RunShell(FlareProgram() + " languages --markdown").output;
  EXPECT_THAT(ReadFile(kRoot / "docs/reference/languages.md"), HasSubstr(table))
      << "paste the output of `flare languages --markdown`";
}

}  // namespace
}  // namespace flare
