// Settings with a text of their own: which figures select the best checkpoint and end training, and
// how the strings of training grow.

#ifndef FLARE_RUNS_RECIPE_H_
#define FLARE_RUNS_RECIPE_H_

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flare {

// The figures that are measured on the validation split of a run, which of them choose the best
// checkpoint (the setting `select`), and which end training (`stop_at`).

// Figures of a validation, by name, in the order in which files have them.
using Figures = std::vector<std::pair<std::string, double>>;
std::optional<double> FindFigure(const Figures& figures, std::string_view name);

// The names of the figures that the validation of a canonical loss can give: "loss", the objective
// itself; those of recognition if it is a term; those of the other terms.
std::vector<std::string> FiguresOfLoss(std::string_view loss);
// Figures that recognition yields at no cost, without the heads of other terms.
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

// A curriculum: how long the strings of training may be, from which step on (the setting
// `curriculum`). People write [[0, 10], [5000, 20]]; files, paths and flags have 0:10+5000:20.
struct Curriculum {
  struct Stage {
    std::size_t step = 0;  // the step at which the stage begins
    std::size_t longest = std::numeric_limits<std::size_t>::max();
  };
  // Stages by step, the first from step 0. Without a curriculum there is one, of all lengths.
  std::vector<Stage> stages = {{}};

  // The stage that a step belongs to.
  std::size_t StageAt(std::size_t step) const;
  // Does a stage after the first begin with this step?
  bool BeginsAt(std::size_t step) const;
  // "0:10+5000:20"; empty if there is no curriculum.
  std::string Text() const;
};

// Reads either spelling; an empty text means no curriculum. Throws InputError unless the first
// stage begins at step 0, and steps and lengths grow.
Curriculum ParseCurriculum(const std::string& text, const std::string& where);

}  // namespace flare

#endif  // FLARE_RUNS_RECIPE_H_
