// Predicted and observed as a picture: a row per language, grouped by class, a box per variant, the
// darker the higher its accuracy, with a cross where a theorem excludes it.

#ifndef FLARE_REPORT_PREDICTED_PICTURE_H_
#define FLARE_REPORT_PREDICTED_PICTURE_H_

#include <string>
#include <vector>

#include "flare/report/canvas.h"
#include "flare/report/predicted.h"
#include "flare/report/select.h"

namespace flare::report {

class PredictedPicture {
 public:
  explicit PredictedPicture(const Selection& selection);

  double width() const;
  double height() const;
  void Draw(Canvas& canvas) const;

 private:
  void DrawRow(const PredictedRow& row, double top, Canvas& canvas) const;

  std::vector<PredictedRow> rows_;
  std::vector<std::string> titles_;  // of the variants
};

}  // namespace flare::report

#endif  // FLARE_REPORT_PREDICTED_PICTURE_H_
