// flare sweep plan|run|work|submit|status|list|collect|extract: a whole grid of runs.

#include <memory>

#include "flare/cli/sweep_commands.h"
#include "flare/cli/tell.h"
#include "flare/experiments/consent.h"

namespace flare {

void AddOnly(CLI::App& app, std::vector<std::string>& only) {
  app.add_option("--only", only,
                 "only runs with these coordinates, as language=parity,first; may be repeated")
      ->type_name("COORDINATE=VALUE,...")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

void AddYes(CLI::App& app, bool& yes) {
  app.add_flag("--yes", yes, "agree to the commands of somebody else's sweep, once and for all");
}

void CheckCommands(const Sweep& sweep, bool yes) {
  if (yes) {
    for (const std::string& line : AgreeToCommands(sweep)) Tell("flare: agreed to: {}\n", line);
  }
  CheckAgreedToCommands(sweep);
}

std::function<int()> SweepCommand(CLI::App& app) {
  struct Entry {
    const char* name;
    const char* summary;
    std::function<int()> (*add)(CLI::App&);
  };
  static constexpr Entry kEntries[] = {
      {"plan", "Make the sweep directory and the datasets that are missing", SweepPlan},
      {"run", "Plan, then work on this machine until all runs are done", SweepRun},
      {"work", "Work on a planned sweep, alongside other workers", SweepWork},
      {"submit", "Let a cluster work on a planned sweep", SweepSubmit},
      {"status", "How far along a sweep is", SweepStatusCommand},
      {"list", "The runs of a sweep", SweepList},
      {"collect", "Keep what reports need of finished runs, as lines of text", SweepCollect},
      {"extract", "What the networks of finished runs have learned", SweepExtract},
  };
  app.require_subcommand(1);
  const auto chosen = std::make_shared<std::function<int()>>();
  for (const Entry& entry : kEntries) {
    CLI::App* sub = app.add_subcommand(entry.name, entry.summary);
    sub->callback([chosen, run = entry.add(*sub)] { *chosen = run; });
  }
  return [chosen] { return (*chosen)(); };
}

}  // namespace flare
