// Completes the settings of a run: chooses the hidden size, and draws what a user does not give
// from the paper's distributions (Appendix D) with the run's seed.

#ifndef FLARE_TRAINING_MAKE_SETTINGS_H_
#define FLARE_TRAINING_MAKE_SETTINGS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "flare/nn/model.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/schedule.h"
#include "flare/runs/external.h"
#include "flare/runs/run_settings.h"

namespace flare {

// Errors name a setting by its flag, or by its place in a file. Throws InputError: unknown keys,
// values that do not fit, settings that contradict each other. Throws Unavailable if the settings
// are valid but this CPU lacks the target.
RunSettings MakeSettings(const SettingTexts& given, std::size_t vocabulary,
                         const SettingPlaces& places = "");

// Does the same for an architecture that another program trains, which decides on the size of its
// model itself.
RunSettings MakeExternalSettings(const SettingTexts& given, const External& external,
                                 const SettingPlaces& places = "");

// For settings that were read from a file. Throws InputError if no model can have them.
void CheckModelSettings(const RunSettings& settings, const std::string& where);

// Returns the model that the settings describe. `states` is the number of the automaton's states,
// for a loss that tracks them.
ModelConfig ModelOf(const RunSettings& settings, std::size_t vocabulary, std::size_t states = 1);
OptimizerConfig OptimizerOf(const RunSettings& settings);
ScheduleConfig ScheduleOf(const RunSettings& settings, std::size_t steps_per_epoch);
// Returns a coefficient for each term of the loss besides recognition, in the model's order.
std::vector<double> CoefficientsOf(const RunSettings& settings);
// Does a term of the loss learn from strings that are no members?
bool LooksAtNegatives(const RunSettings& settings);

}  // namespace flare

#endif  // FLARE_TRAINING_MAKE_SETTINGS_H_
