// Runs on disk, through the readers that reports use: nothing is shown of a run that is damaged.
// ../flarelang/run.py makes classes of this.

#include <optional>
#include <utility>
#include <vector>

#include "bindings.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/integrity.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/placed_run.h"
#include "flare/runs/run_directory.h"
#include "flare/training/known_names.h"

namespace flare::python {
namespace {

namespace fs = std::filesystem;

// The lock of a process that died does not count.
void LookAtLock(const RunDirectory& directory, PlacedRun& run) {
  if (run.state != RunState::kRunning) return;
  LockObserver observer;
  const LockState lock = observer.Look(directory.lock());
  if (lock == LockState::kDead || lock == LockState::kFree) run.state = RunState::kLeft;
}

void ReadFiles(const RunDirectory& directory, PlacedRun& run) {
  run.state = directory.Look();
  if (run.state == RunState::kFailed) run.reason = directory.ReasonOfFailure();
  run.config = directory.ReadConfig(KnownNames());
  if (run.state != RunState::kFinished) return;
  run.result = directory.ReadResult();
  if (run.result->diverged) run.state = RunState::kDiverged;
}

// `read`, or what keeps it from reading.
template <class Read>
PlacedRun OrDamaged(Read read) {
  PlacedRun run;
  try {
    read(run);
  } catch (...) {
    run = {.at = run.at, .state = RunState::kDamaged, .reason = CaughtFault()};
  }
  return run;
}

// The sweep in whose directory a run is, and where the grid has it; nothing if it is in none.
std::optional<std::pair<Sweep, Coordinates>> PlaceOf(const fs::path& path) {
  const fs::path run = fs::weakly_canonical(path);
  fs::path runs = run;
  for (std::size_t i = 0; i < 6; ++i) runs = runs.parent_path();  // LANG/…/TRIAL
  if (runs.filename() != "runs" || !fs::exists(SweepFile(runs.parent_path()))) return std::nullopt;
  const std::string place = run.lexically_relative(runs).string();
  Sweep sweep = ReadSweep(runs.parent_path(), KnownNames());
  for (Coordinates& at : sweep.grid.Runs()) {
    if (at.Path() == place) return std::pair(std::move(sweep), std::move(at));
  }
  return std::nullopt;
}

PlacedRun ReadRun(const fs::path& path) {
  const RunDirectory directory(path);
  if (!directory.is_begun()) {
    throw InputError(path, "is not a run: it has no config.json", "flare train makes runs");
  }
  auto place = PlaceOf(path);
  PlacedRun read = OrDamaged([&](PlacedRun& run) {
    if (place) {
      run = ReadPlacedRun(place->first, std::move(place->second), KnownNames());
    } else {
      ReadFiles(directory, run);
    }
    LookAtLock(directory, run);
  });
  // It may have ended between two looks.
  if (read.state == RunState::kLeft && directory.is_finished()) return ReadRun(path);
  return read;
}

// State, reason, config.json and result.json; None where there is none.
py::tuple ToPython(const PlacedRun& run) {
  py::object config = py::none(), result = py::none();
  if (run.config) config = py::str(ConfigToJson(*run.config, KnownNames()).dump());
  if (run.result) result = py::str(ResultToJson(*run.result).dump());
  return py::make_tuple(Name(run.state), run.reason, config, result);
}

py::tuple ReadOne(const fs::path& path) {
  std::optional<PlacedRun> run;
  {
    const py::gil_scoped_release unlock;
    run = ReadRun(path);
  }
  return ToPython(*run);
}

// Of every run of a sweep, begun or not: where it is, its coordinates, and the same as ReadOne.
py::list ReadAll(const fs::path& out) {
  std::optional<Sweep> sweep;
  std::vector<PlacedRun> runs;
  {
    const py::gil_scoped_release unlock;
    sweep = ReadSweep(out, KnownNames());
    runs = ReadPlacedRuns(*sweep, KnownNames());
    for (PlacedRun& run : runs) {
      run = OrDamaged([&](PlacedRun& looked) {
        looked = std::move(run);
        LookAtLock(RunDirectory(sweep->RunPath(looked.at)), looked);
      });
    }
  }
  py::list rows;
  for (const PlacedRun& run : runs) {
    const Coordinates& at = run.at;
    py::dict coordinates;
    coordinates["language"] = at.language;
    coordinates["variant"] = at.variant;
    coordinates["loss"] = at.loss;
    coordinates["validation"] = at.validation;
    coordinates["budget"] = at.budget;
    coordinates["trial"] = at.trial;
    rows.append(py::make_tuple(sweep->RunPath(at).string(), coordinates, ToPython(run)));
  }
  return rows;
}

// The text of a file of a run; nothing if there is none. What result.json lists is checked.
std::optional<std::string> ReadText(const fs::path& path, const std::string& folder,
                                    const std::string& name) {
  const RunDirectory directory(path);
  const fs::path file = path / folder / name;
  if (file.filename() != name) return std::nullopt;
  if (directory.is_finished()) {
    const RunResult result = directory.ReadResult();
    return directory.ReadFileOf(result, folder.empty() ? name : folder + "/" + name);
  }
  if (!fs::exists(file)) return std::nullopt;
  return ReadRegularFile(file);
}

// The lines of events.jsonl. A last one without a newline is still being written.
std::string ReadEvents(const fs::path& path) {
  const fs::path file = RunDirectory(path).events();
  std::string text = ReadText(path, "", file.filename()).value_or("");
  text.resize(text.rfind('\n') + 1);
  return text;
}

}  // namespace

void BindRunFiles(py::module_& module) {
  const auto unlocked = py::call_guard<py::gil_scoped_release>();
  module.def("read_run", &ReadOne);
  module.def("read_sweep", &ReadAll);
  module.def("read_events", &ReadEvents, unlocked);
  module.def(
      "read_evaluation",
      [](const fs::path& path, const std::string& split) {
        return ReadText(path, "eval", split + ".json");
      },
      unlocked);
  module.def(
      "read_failure", [](const fs::path& path) { return ReadText(path, "", "failure.json"); },
      unlocked);
}

}  // namespace flare::python
