// Text and tables for LaTeX, for pdflatex as for engines that know Unicode.

#ifndef FLARE_REPORT_LATEX_H_
#define FLARE_REPORT_LATEX_H_

#include <string>

#include "flare/report/table.h"

namespace flare::report {

// Escapes LaTeX's special characters. Signs that LaTeX's fonts have only in mathematics are set in
// math mode. A character that pdflatex lacks is set by engines that know Unicode; pdflatex shows
// its code point, as U+5076.
std::string LatexEscaped(const std::string& text);

// Formats a table with its caption, its label tab:LABEL and its notes, so that it fits the text of
// an article (345 pt) and its page. It is set in the largest of three sizes in which it is no wider
// than the text. If there is none, it is turned by 90 degrees, or cut into blocks of columns below
// each other, if possible between groups of columns; each block repeats the columns that name the
// rows. Long texts are broken into lines. A table that is higher than a page is a longtable. A
// comment at the top names the packages that it needs.
std::string FormatLatex(const Table& table, const std::string& label);

}  // namespace flare::report

#endif  // FLARE_REPORT_LATEX_H_
