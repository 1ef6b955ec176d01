// Text and tables for LaTeX, for pdflatex as for engines that know Unicode.

#ifndef FLARE_REPORT_LATEX_H_
#define FLARE_REPORT_LATEX_H_

#include <string>

#include "flare/report/table.h"

namespace flare::report {

// Text with LaTeX's special characters escaped. Signs that its fonts have in mathematics only are
// set there; what pdflatex has no letter for is left to engines that have, and is its code point,
// U+5076, elsewhere.
std::string LatexEscaped(const std::string& text);

// A table with its caption, its label tab:LABEL and its notes, that fits the text of an article
// (345 pt) and its page: in the largest of three sizes in which it is as wide as the text at most;
// else turned by 90 degrees, or as several blocks of columns below each other, each with the
// columns that say what a row is about, cut between groups where that can be done. Long texts are
// broken into lines. What is higher than a page is a longtable. A comment at its top names the
// packages that it needs.
std::string FormatLatex(const Table& table, const std::string& label);

}  // namespace flare::report

#endif  // FLARE_REPORT_LATEX_H_
