// A grid that is worked through trial by trial has more runs at some points than at others until a
// trial is whole. What is chosen among several runs then favours the points that have more of them,
// and what compares only equals has little left. Whole trials alone are equally many everywhere.

#ifndef FLARE_REPORT_WHOLE_TRIALS_H_
#define FLARE_REPORT_WHOLE_TRIALS_H_

#include "flare/report/study.h"

namespace flare::report {

// Makes the study what it would be if no run of a trial that is not whole had ended: those that
// have count as not begun, and the study's note says so. Before any trial is whole, nothing is left
// out. Which columns there are stays as it is. Requires: a study of one grid, since a trial of one
// says nothing about that of another.
void KeepWholeTrials(Study& study);

}  // namespace flare::report

#endif  // FLARE_REPORT_WHOLE_TRIALS_H_
