// Sweeps and their runs (folder.h: every file of one), as `flare sweep status`, `flare report` and
// whoever loads a model read them.

#include "flare/training/run.h"

#include "flare/experiments/sweep_status.h"
#include "flare/report/latex.h"
#include "flare/report/page.h"
#include "flare/report/report.h"
#include "flare/report/run_files.h"
#include "flare/report/runs_csv.h"
#include "flare/report/select.h"
#include "flare/report/study.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "folder.h"
#include "target.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

void AskForStatus(const fs::path& out) {
  const Sweep sweep = ReadSweep(out);
  for (const flare::Run& run : StatusOf(sweep, {}).runs) {
    JsonText(RunToJson(run));
    Accepts([&] {
      const RunDirectory directory(run.path);
      LoadModel(directory, ReadPlan(directory));
    });
  }
}

void Report(const fs::path& out) {
  const report::Study study = report::ReadStudy({out});
  const report::Selection selection(study);
  report::RunFiles files;
  const std::vector<report::Table> tables = report::MakeTables(selection, files);
  for (const report::Table& table : tables) {
    FormatMarkdown(table);
    FormatLatex(table, "fuzz");
    FormatCsv(table);
  }
  FormatRunsCsv(study);
  JsonText(OverviewData(selection, tables, {}, 0));
  for (const std::string& language : study.axes.languages) {
    JsonText(LanguageData(selection, language, report::FullTable(selection, language), files));
    JsonText(RunsData(selection, language));
  }
}

}  // namespace

void FuzzRun(std::string_view listing) {
  // A grid may name files to read; those of this machine are not what is tried here.
  for (const char* source : {"att:", "cfg:", "command:", "mlregtest:", "\"published\""}) {
    if (listing.find(source) != std::string_view::npos) return;
  }
  const Folder folder(listing);
  Accepts([&] { AskForStatus(folder.path()); });
  Accepts([&] { Report(folder.path()); });
}

}  // namespace flare
