// Gives a target the inputs of its corpora, without libFuzzer: what once crashed must not again.
//   fuzz_replay TARGET DIRECTORY...
// A directory that does not exist has no inputs: not every target has crashed yet.

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/file.h"
#include "target.h"

namespace {

namespace fs = std::filesystem;

const std::map<std::string_view, void (*)(std::string_view)> kTargets = {
    {"att", flare::FuzzAtt},         {"dataset", flare::FuzzDataset},
    {"grammar", flare::FuzzGrammar}, {"json", flare::FuzzJson},
    {"regex", flare::FuzzRegex},     {"run", flare::FuzzRun},
    {"symbols", flare::FuzzSymbols}, {"tensors", flare::FuzzTensors},
    {"toml", flare::FuzzToml},
};

// Processor time; an input that takes more is refused too late.
constexpr double kMostSeconds = 20;
#ifdef __SANITIZE_ADDRESS__
constexpr long kMostMegabytes = 6144;  // as in scripts/fuzz: several times what is asked for
#else
constexpr long kMostMegabytes = 512;
#endif

long PeakMegabytes() {
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  const auto target = kTargets.find(argc > 1 ? argv[1] : "");
  if (target == kTargets.end()) {
    std::fprintf(stderr, "usage: fuzz_replay TARGET DIRECTORY...\n");
    return 2;
  }
  std::vector<fs::path> inputs;
  for (int i = 2; i < argc; ++i) {
    if (!fs::exists(argv[i])) continue;
    for (const auto& entry : fs::directory_iterator(argv[i])) inputs.push_back(entry.path());
  }
  std::sort(inputs.begin(), inputs.end());
  for (const fs::path& input : inputs) {
    const std::string bytes = flare::ReadFile(input);
    // Before the call, because it may not return.
    std::printf("%s\n", input.c_str());
    std::fflush(stdout);
    const double before = flare::ProcessCpuSeconds();
    target->second(bytes);
    const double seconds = flare::ProcessCpuSeconds() - before;
    if (seconds > kMostSeconds || PeakMegabytes() > kMostMegabytes) {
      std::printf("took %.1f s, and %ld MB so far\n", seconds, PeakMegabytes());
      return 1;
    }
  }
  std::printf("%zu inputs\n", inputs.size());
  return inputs.empty() ? 1 : 0;
}
