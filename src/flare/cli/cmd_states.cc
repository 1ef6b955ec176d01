// flare states RUN [FILE]: the hidden vectors after every prefix of strings, as NumPy reads them.

#include <unistd.h>

#include <filesystem>
#include <memory>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/npy.h"
#include "flare/cli/command.h"
#include "flare/cli/run_arguments.h"

namespace flare {
namespace {

struct StatesArguments {
  explicit StatesArguments(CLI::App& app) {
    app.add_option("RUN", run, "directory of a run")->required();
    strings = std::make_unique<StringsArgument>(app);
    app.add_option("--out", out, "write here, instead of to standard output")->type_name("FILE");
  }

  std::string run, out;
  std::unique_ptr<StringsArgument> strings;
};

// Receives bytes in order.
using Sink = std::function<void(const std::string& bytes)>;

void WriteStates(const StatesArguments& arguments, const Sink& write) {
  const RunDirectory run(arguments.run);
  const RunPlan plan = ReadPlan(run);
  const auto model = LoadAndTell(run, plan);
  const std::vector<String> strings = arguments.strings->Read(plan.data.alphabet);
  std::size_t rows = 0;
  for (const String& w : strings) rows += w.size() + 1;
  write(NpyHeader(rows, model->config().hidden));
  std::vector<float> vectors;
  for (const String& w : strings) {
    Batch batch;
    batch.vocabulary = plan.data.alphabet.size();
    std::vector<std::uint32_t> tokens;
    for (const Symbol a : w) tokens.push_back(static_cast<std::uint32_t>(a));
    batch.Add(tokens, false);
    model->HiddenVectors(batch, 0, vectors);
    write({reinterpret_cast<const char*>(vectors.data()), vectors.size() * sizeof(float)});
  }
}

int States(const StatesArguments& arguments) {
  if (arguments.out.empty()) {
    if (::isatty(STDOUT_FILENO) != 0) {
      throw InputError("standard output", "is a terminal, which cannot show NumPy's format",
                       "name a file with --out, or redirect");
    }
    WriteStates(arguments, Print);
    return kDone;
  }
  const auto folder = std::filesystem::absolute(arguments.out).parent_path();
  CheckIsOutsideRuns(folder);
  RemoveTemporaries(folder);
  Draft draft(arguments.out);
  WriteStates(arguments, [&](const std::string& bytes) { draft.Write(bytes); });
  draft.Sync();
  draft.Rename();
  return kDone;
}

}  // namespace

std::function<int()> StatesCommand(CLI::App& app) {
  const auto arguments = std::make_shared<StatesArguments>(app);
  return [arguments] { return States(*arguments); };
}

}  // namespace flare
