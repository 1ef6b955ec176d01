#include "flare/report/report.h"

#include <fmt/format.h>

#include "flare/base/text.h"
#include "flare/report/figures.h"
#include "flare/report/output_folder.h"
#include "flare/report/page.h"
#include "flare/report/runs_csv.h"
#include "flare/report/select.h"
#include "flare/report/sweep.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

void WriteTable(const Table& table, const fs::path& folder, OutputFolder& out) {
  const fs::path stem = folder / table.name;
  out.Write(stem.string() + ".md", FormatMarkdown(table));
  out.Write(stem.string() + ".tex", FormatLatex(table));
  out.Write(stem.string() + ".csv", FormatCsv(table));
  out.Write(stem.string() + ".json", JsonText(TableToJson(table)));
}

void WriteTables(const Selection& selection, OutputFolder& out) {
  for (const Table& table :
       {MainTable(selection), MainLongTable(selection), ComparisonTable(selection),
        BestLossTable(selection), ModelSizesTable(selection), CostTable(selection)}) {
    WriteTable(table, "tables", out);
  }
  for (const std::string& language : selection.sweep().axes.languages) {
    WriteTable(FullTable(selection, language), "tables/full", out);
  }
}

}  // namespace

std::string ReportSummary::Text() const {
  std::string text = fmt::format("{} of {} finished", finished + diverged, Counted(runs, "run"));
  if (diverged > 0) text += fmt::format(", {} of them diverged", diverged);
  if (failed > 0) text += fmt::format("; {} failed", failed);
  if (running > 0) text += fmt::format("; {} running", running);
  return text;
}

ReportSummary WriteReport(const std::vector<fs::path>& sweeps, const Names& names,
                          const fs::path& to, const ReportOptions& options) {
  const Sweep sweep = ReadSweeps(sweeps, names);
  const Selection selection(sweep);
  OutputFolder out(to);
  WriteTables(selection, out);
  out.Write("runs.csv", FormatRunsCsv(sweep));
  WriteFigures(selection, out);
  WritePage(selection, options.refresh_seconds, out);
  return {sweep.runs.size(), sweep.Count(RunState::kFinished), sweep.Count(RunState::kDiverged),
          sweep.Count(RunState::kFailed), sweep.Count(RunState::kRunning)};
}

}  // namespace flare::report
