// Figures: as SVG and as pgfplots: a .tex with a tikzpicture and its .dat
// files, to be \input in a paper, and all.tex, which sets them all on their own.
//
//   \newcommand{\flarefigures}{path/to/report/figures}
//   \input{\flarefigures/cross-entropy-vs-length/parity}

#ifndef FLARE_REPORT_FIGURES_H_
#define FLARE_REPORT_FIGURES_H_

#include "flare/report/output_folder.h"
#include "flare/report/run_files.h"
#include "flare/report/select.h"

namespace flare::report {

// Under figures/: hierarchy, edit-distance, cross-entropy-vs-length,
// accuracy-vs-length, training-curves, axis-SETTING, predicted, and all.tex.
void WriteFigures(const Selection& selection, RunFiles& files, OutputFolder& out);

}  // namespace flare::report

#endif  // FLARE_REPORT_FIGURES_H_
