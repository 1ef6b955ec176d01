#include "flare/report/page.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>

#include "flare/base/sha256.h"
#include "flare/report/embedded.h"
#include "flare/report/page_data.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

// Compact, and tolerant of names that are not UTF-8, as JsonText is.
std::string Script(const std::string& key, const Json& data) {
  const auto dump = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  return fmt::format("FLARE.put({},{});\n", dump(key), dump(data));
}

}  // namespace

void WritePage(const Selection& selection, const std::vector<Table>& tables,
               const std::vector<Table>& extra, std::size_t refresh_seconds, RunFiles& files,
               OutputFolder& out) {
  const Study& study = selection.study();
  for (const char* name :
       {"report.css", "core.js", "tables.js", "charts.js", "overview.js", "predicted.js", "axes.js",
        "language.js", "runs.js", "live.js", "chart.min.js"}) {
    out.Write(fs::path("assets") / name, EmbeddedFile(name));
  }
  out.Write("index.html", EmbeddedFile("index.html"));
  const std::map<std::string, std::string> stems = FileStems(study.axes.languages);
  std::string everything;
  for (const std::string& language : study.axes.languages) {
    const fs::path stem = fs::path("data") / stems.at(language);
    const std::string data =
        Script("language/" + language, LanguageData(selection, language, files));
    const std::string runs = Script("runs/" + language, RunsData(study, language));
    out.Write(stem.string() + ".js", data);
    out.Write(stem.string() + ".runs.js", runs);
    everything += Sha256(data) + Sha256(runs);
  }
  const std::string overview =
      Script("overview", OverviewData(selection, tables, extra, refresh_seconds));
  out.Write("data/overview.js", overview);
  // Last: a page that watches this file then finds the others complete.
  out.Write("data/stamp.js", Script("stamp", Sha256(everything + overview)));
}

}  // namespace flare::report
