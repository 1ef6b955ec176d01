// The beginning of a report: what was found, in sentences that its numbers support, and what is
// missing.

#ifndef FLARE_REPORT_FINDINGS_H_
#define FLARE_REPORT_FINDINGS_H_

#include <string>
#include <vector>

#include "flare/report/select.h"

namespace flare::report {

struct Findings {
  std::vector<std::string> sentences;  // none before a run has a score
  std::vector<std::string> missing;    // sentences, too; none if nothing is

  // Writes the findings as Markdown.
  std::string Text() const;
};

Findings FindingsOf(const Selection& selection);

}  // namespace flare::report

#endif  // FLARE_REPORT_FINDINGS_H_
