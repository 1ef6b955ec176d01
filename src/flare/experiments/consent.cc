#include "flare/experiments/consent.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

bool IsOwn(const Sweep& sweep) {
  const fs::path file = SweepFile(sweep.out);
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) throw IoError(file, "look at", errno);
  return status.st_uid == ::geteuid();
}

// Empty if this user has none.
fs::path NotesFolder() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && fs::path(config).is_absolute()) {
    return fs::path(config) / "flare" / "commands";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || !fs::path(home).is_absolute()) return {};
  return fs::path(home) / ".config" / "flare" / "commands";
}

std::string TextOf(const External& external) { return Json(external.command).dump() + "\n"; }

// The command as a person would type it.
std::string LineOf(const External& external) {
  std::string line;
  for (const std::string& word : external.command) {
    line += (line.empty() ? "" : " ") + Visible(ShellQuoted(word));
  }
  return line;
}

// The commands of somebody else's sweep that this user has not agreed to.
std::vector<const External*> NewCommands(const Sweep& sweep) {
  std::vector<const External*> commands;
  if (sweep.grid.externals.empty() || IsOwn(sweep)) return commands;
  const fs::path folder = NotesFolder();
  for (const External& external : sweep.grid.externals) {
    std::error_code unseen;
    const bool is_noted = !folder.empty() && fs::exists(folder / Sha256(TextOf(external)), unseen);
    if (!is_noted) commands.push_back(&external);
  }
  return commands;
}

}  // namespace

std::vector<std::string> AgreeToCommands(const Sweep& sweep) {
  std::vector<std::string> lines;
  const fs::path folder = NotesFolder();
  for (const External* external : NewCommands(sweep)) {
    if (folder.empty()) {
      throw InputError("HOME", "is not set: there is no place to note what you agree to",
                       "set HOME or XDG_CONFIG_HOME");
    }
    MakeDirectories(folder);
    const std::string text = TextOf(*external);
    WriteFileAtomically(folder / Sha256(text), text);
    lines.push_back(LineOf(*external));
  }
  return lines;
}

void CheckAgreedToCommands(const Sweep& sweep) {
  std::string commands;
  for (const External* external : NewCommands(sweep)) commands += "\n  " + LineOf(*external);
  if (commands.empty()) return;
  throw InputError(sweep.out,
                   "is somebody else's sweep, whose runs start these commands:" + commands,
                   "if you agree to that, say so once: give --yes");
}

}  // namespace flare
