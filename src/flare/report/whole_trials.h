// A grid that is worked through trial by trial has more runs at some points than at others until a
// trial is whole. What is chosen among several runs then favours the points that have more of them,
// and what compares only equals has little left. Whole trials alone are equally many everywhere.

#ifndef FLARE_REPORT_WHOLE_TRIALS_H_
#define FLARE_REPORT_WHOLE_TRIALS_H_

#include "flare/report/study.h"

namespace flare::report {

// Marks the runs that have ended, of trials that are not whole, as left out, and says so in the
// study's note. Before any trial is whole, nothing is left out. Requires: a study of one grid,
// since a trial of one says nothing about that of another.
void MarkPartialTrials(Study& study);
// Makes the study what it would be if no run that is left out had ended: they count as not begun.
// Which columns there are stays as it is.
void DropLeftOut(Study& study);

}  // namespace flare::report

#endif  // FLARE_REPORT_WHOLE_TRIALS_H_
