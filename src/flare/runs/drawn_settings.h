// What a run draws from its seed where nobody gives it: the paper's distributions (Appendix D).

#ifndef FLARE_RUNS_DRAWN_SETTINGS_H_
#define FLARE_RUNS_DRAWN_SETTINGS_H_

#include "flare/runs/run_settings.h"

namespace flare {

// Draws what `given` lacks, and adds it to settings.drawn.
void DrawMissing(const SettingTexts& given, RunSettings& settings);

}  // namespace flare

#endif  // FLARE_RUNS_DRAWN_SETTINGS_H_
