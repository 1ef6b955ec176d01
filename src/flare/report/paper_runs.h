// Our runs as the paper's text speaks of them: by language, architecture, loss and validation set,
// at the paper's budget, as far as data and settings are the paper's.

#ifndef FLARE_REPORT_PAPER_RUNS_H_
#define FLARE_REPORT_PAPER_RUNS_H_

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flare/report/select.h"

namespace flare::report {

// In the order of its tables.
inline constexpr std::array kPaperArchitectures = {"transformer", "rnn", "lstm"};

class PaperRuns {
 public:
  // Keeps a reference to the selection.
  explicit PaperRuns(const Selection& selection);

  // Those that are comparable with the paper's, in grid order.
  const std::vector<std::string>& languages() const { return languages_; }
  // Those of the grid that the paper has, in its order.
  const std::vector<std::string>& losses() const { return losses_; }

  // As in the main table; nothing without a run.
  std::optional<BestScore> InductiveBias(const std::string& language,
                                         const std::string& architecture) const;
  std::optional<BestScore> Expressivity(const std::string& language,
                                        const std::string& architecture) const;
  // The mean accuracy with the short validation set and the loss whose mean the paper prints.
  // Unlike InductiveBias(), it does not profit from there being several losses to choose from.
  std::optional<double> WithPapersLoss(const std::string& language,
                                       const std::string& architecture) const;
  // Have these architectures equally many runs of every loss behind them, and a score each? The
  // best of more losses, or of more runs, is higher by chance alone.
  bool HaveEqualRuns(const std::string& language, const std::vector<std::string>& architectures,
                     const std::string& validation) const;
  // How many have ended, with a score or, if they diverged too early, without.
  std::size_t Made(const std::string& language, const std::string& architecture,
                   const std::string& loss, const std::string& validation) const;
  // The scored runs. `architecture` is "transformer", "rnn" or "lstm".
  std::vector<const Run*> Runs(const std::string& language, const std::string& architecture,
                               const std::string& loss, const std::string& validation) const;
  std::vector<double> Accuracies(const std::string& language, const std::string& architecture,
                                 const std::string& loss, const std::string& validation) const;
  // What knowing the format of the language gives on the test set.
  std::optional<double> FormatOnly(const std::string& language) const;

 private:
  // The cohort of an architecture, or null.
  const std::string* CohortOf(const std::string& language, const std::string& architecture) const;
  // The runs of the grid there, or null.
  const RunGroup* GroupOf(const std::string& language, const std::string& architecture,
                          const std::string& loss, const std::string& validation) const;

  const Selection& selection_;
  std::map<std::string, std::string> cohorts_;  // by architecture
  std::vector<std::string> languages_, losses_;
};

}  // namespace flare::report

#endif  // FLARE_REPORT_PAPER_RUNS_H_
