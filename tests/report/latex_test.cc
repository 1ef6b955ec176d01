// LaTeX itself sets every table and figure of a report.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/report/report.h"
#include "support/fake_sweep.h"
#include "support/installed.h"
#include "support/shell.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

void Typeset(const fs::path& folder, const std::string& file) {
  const ShellResult result =
      RunShell("pdflatex -interaction=nonstopmode -halt-on-error " + file, folder);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(result.output.find("Undefined"), std::string::npos);
}

TEST(Latex, SetsTablesAndFigures) {
  if (!Installed("pdflatex")) GTEST_SKIP() << "pdflatex is not installed";
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out", to = directory.path() / "report";
  WritePlausibleSweep(out,
                      {.languages = {"parity", "repeat-01", "majority", "unmarked-reversal",
                                     "binary-addition", "[3pt] 50%_{strange}~^\\ & #1"},
                       .budgets = {32'000, 64'000}},
                      true);
  WriteReport({out}, to);
  Typeset(to / "figures", "all.tex");
  std::string document =
      "\\documentclass{article}\n\\usepackage[paperwidth=60cm,margin=1cm]{geometry}\n"
      "\\usepackage{booktabs}\n\\begin{document}\n";
  std::size_t tables = 0;
  for (const auto& entry : fs::recursive_directory_iterator(to / "tables")) {
    if (entry.path().extension() != ".tex") continue;
    document += "\\input{" + fs::relative(entry.path(), to).string() + "}\\par\n";
    ++tables;
  }
  EXPECT_EQ(tables, 14u);
  WriteFile(to / "tables.tex", document + "\\end{document}\n");
  Typeset(to, "tables.tex");
}

}  // namespace
}  // namespace flare::report
