// Runs on disk, through the readers that reports use: nothing is shown of a run that is damaged.
// ../flarelang/run.py makes classes of this.

#include <optional>
#include <vector>

#include "bindings.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/run.h"
#include "flare/runs/run_directory.h"

namespace flare::python {
namespace {

namespace fs = std::filesystem;

// State, fault, config.json and result.json; None where there is none.
py::tuple ToPython(const Run& run) {
  py::object config = py::none(), result = py::none();
  if (run.config) config = py::str(ConfigToJson(*run.config).dump());
  if (run.result) result = py::str(ResultToJson(*run.result).dump());
  return py::make_tuple(Name(run.state), run.fault, config, result);
}

py::tuple ReadOne(const fs::path& path) {
  std::optional<Run> run;
  {
    const py::gil_scoped_release unlock;
    run = ReadRun(path);
  }
  return ToPython(*run);
}

// Of every run of a sweep, begun or not: where it is, its coordinates, and the same as ReadOne.
py::list ReadAll(const fs::path& out) {
  std::optional<Sweep> sweep;
  std::vector<Run> runs;
  {
    const py::gil_scoped_release unlock;
    sweep = ReadSweep(out);
    runs = ReadRuns(*sweep);
  }
  py::list rows;
  for (const Run& run : runs) {
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
