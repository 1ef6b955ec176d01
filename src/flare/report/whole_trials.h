// A grid that is worked through trial by trial has more runs at some points than at others until a
// trial is whole. What is chosen among several runs then favours the points that have more of them,
// and what compares only equals has little left. Whole trials alone are equally many everywhere.

#ifndef FLARE_REPORT_WHOLE_TRIALS_H_
#define FLARE_REPORT_WHOLE_TRIALS_H_

#include <cstddef>
#include <string>

#include "flare/report/sweep.h"

namespace flare::report {

struct WholeTrials {
  std::size_t whole = 0;   // trials of which every run has ended
  std::size_t trials = 0;  // of the grid

  // For those who read a table; the same until another trial is whole. Empty once all are.
  std::string Note() const;
};

// Makes the sweep what it was without the runs of trials that are not whole: those that have ended
// count as not begun, and as left out. Before any trial is whole, that is none.
WholeTrials KeepWholeTrials(Sweep& sweep);

}  // namespace flare::report

#endif  // FLARE_REPORT_WHOLE_TRIALS_H_
