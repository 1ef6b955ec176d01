// Gives a target the inputs of its corpora, without libFuzzer: what once crashed must not again.
//   regex_replay DIRECTORY...
// A directory that does not exist has no inputs: not every target has crashed yet.

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/file.h"
#include "target.h"

namespace {

namespace fs = std::filesystem;

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
  std::vector<fs::path> inputs;
  for (int i = 1; i < argc; ++i) {
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
    LLVMFuzzerTestOneInput(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    const double seconds = flare::ProcessCpuSeconds() - before;
    if (seconds > kMostSeconds || PeakMegabytes() > kMostMegabytes) {
      std::printf("took %.1f s, and %ld MB so far\n", seconds, PeakMegabytes());
      return 1;
    }
  }
  std::printf("%zu inputs\n", inputs.size());
  return inputs.empty() ? 1 : 0;
}
