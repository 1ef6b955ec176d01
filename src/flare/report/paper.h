// The values that the paper publishes, to be shown next to ours. paper.json holds them and says
// where each comes from; its full tables and curves have no numbers in the paper's source, so there
// are none here.

#ifndef FLARE_REPORT_PAPER_H_
#define FLARE_REPORT_PAPER_H_

#include <cstdint>
#include <optional>
#include <string>

namespace flare::report {

// Is it one of rec, rec+lm, rec+ns and rec+lm+ns?
bool PaperHasLoss(const std::string& loss);

struct PaperMean {
  double mean;
  double std;
};

// Nothing where the paper has no value.
std::optional<PaperMean> PaperInductiveBias(const std::string& language,
                                            const std::string& variant);
std::optional<double> PaperExpressivity(const std::string& language, const std::string& variant);
// "rec+ns"; empty where the paper has none. `experiment` is "inductive_bias" or "expressivity".
std::string PaperBestLoss(const std::string& experiment, const std::string& language,
                          const std::string& variant);
std::optional<double> PaperModelSize(const std::string& language, const std::string& variant,
                                     std::size_t budget);
// Is the language's dot filled in the paper's Figure 1? Nothing for what the figure does not show.
std::optional<bool> PaperPerfect(const std::string& language, const std::string& variant);

}  // namespace flare::report

#endif  // FLARE_REPORT_PAPER_H_
