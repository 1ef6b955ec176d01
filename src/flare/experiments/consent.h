// Asks for consent to run the commands of others. A sweep may name programs (runs/external.h),
// which its workers start. If another user owns sweep.json, they start only after this user has
// agreed to each of them once. A file for each command is kept in $XDG_CONFIG_HOME/flare/commands,
// or ~/.config/flare/commands, named by the command's SHA-256.

#ifndef FLARE_EXPERIMENTS_CONSENT_H_
#define FLARE_EXPERIMENTS_CONSENT_H_

#include <string>
#include <vector>

#include "flare/runs/sweep_file.h"

namespace flare {

// Notes that this user agrees to the commands of the sweep, if it is somebody else's. Returns those
// that are new, for people to read. Throws IoError, and InputError if there is no place for notes.
std::vector<std::string> AgreeToCommands(const Sweep& sweep);

// Throws InputError, with the commands, if the sweep is somebody else's and this user has not
// agreed to all of them.
void CheckAgreedToCommands(const Sweep& sweep);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_CONSENT_H_
