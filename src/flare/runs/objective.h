// The figures that are measured on the validation split of a run, which of them choose the best
// checkpoint (the setting `select`), and which end training (`stop_at`).

#ifndef FLARE_RUNS_OBJECTIVE_H_
#define FLARE_RUNS_OBJECTIVE_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flare {

// Figures of a validation, by name, in the order in which files have them.
using Figures = std::vector<std::pair<std::string, double>>;
std::optional<double> FindFigure(const Figures& figures, std::string_view name);

// The names of the figures that the validation of a canonical loss can give: "loss", the objective
// itself; those of recognition if it is a term; those of the other terms.
std::vector<std::string> FiguresOfLoss(std::string_view loss);
// Those of them that recognition yields at no cost, without the heads of other terms.
inline constexpr std::string_view kRecognitionCrossEntropy = "recognition_cross_entropy";
inline constexpr std::string_view kRecognitionAccuracy = "accuracy";
inline constexpr std::string_view kObjective = "loss";

// Are small values of the figure better, as for a loss or a number of errors?
bool IsBetterLow(std::string_view figure);

// The figure that chooses the best checkpoint by default: as in the paper, the recognition
// cross-entropy, or the loss itself if recognition is not a term.
std::string DefaultSelection(std::string_view loss);

// "FIGURE >= VALUE": also >, <= and <.
struct FigureCondition {
  std::string figure;
  std::string comparison;
  double value = 0;

  bool Holds(double measured) const;
  std::string Text() const;
};
// Throws InputError.
FigureCondition ParseCondition(const std::string& text, const std::string& where);

}  // namespace flare

#endif  // FLARE_RUNS_OBJECTIVE_H_
