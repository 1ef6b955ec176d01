// Scores over two ordered axes: two settings that the grid varies over numbers, such a setting and
// the languages of a series (dyck-1-2, dyck-1-3, …), or a setting and the length of strings.

#ifndef FLARE_REPORT_SCORE_MAPS_H_
#define FLARE_REPORT_SCORE_MAPS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "flare/report/plot.h"
#include "flare/report/run_files.h"
#include "flare/report/select.h"

namespace flare::report {

// Its values are means over trials.
struct ScoreMap : HeatMap {
  std::string kind = {};                   // of its table and figures: "layers-by-hidden"
  std::string place = {};                  // of its figure: "map-layers-by-hidden/Parity-LSTM"
  std::string language = {}, family = {};  // a language, or the stem of a series: "dyck-1-…"
  std::string loss = {}, validation = {};
  std::size_t least_runs = 0, most_runs = 0;  // behind a value
};

std::vector<ScoreMap> ScoreMapsOf(const Selection& selection, RunFiles& files);

}  // namespace flare::report

#endif  // FLARE_REPORT_SCORE_MAPS_H_
