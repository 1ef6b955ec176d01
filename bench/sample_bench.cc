// How long the program's own loop takes to draw members, which are not kept or printed: what
// python_bench.py compares the module's arrays with.
//
//   sample_bench LANGUAGE COUNT MAX_LENGTH
//
// prints seconds of the processor, and how many symbols were drawn.

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <ctime>
#include <string>

#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

std::size_t Number(const char* text) {
  const auto number = ParseNumber<std::size_t>(text);
  if (!number) throw InputError("", fmt::format("'{}' is not a number", text));
  return *number;
}

void Draw(const std::string& name, std::size_t count, std::size_t max_length) {
  const auto named = ResolveLanguage(name);
  const std::clock_t start = std::clock();
  const auto sampler = named.language->MakeSampler({0, max_length});
  const std::string stream = named.identity + "/sample";
  std::size_t symbols = 0;
  String w;
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng = Rng::For(0, stream, i);
    sampler->Sample(rng, w);
    symbols += w.size();
  }
  fmt::print("{} {}\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, symbols);
}

}  // namespace
}  // namespace flare

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw flare::InputError("", "expected LANGUAGE COUNT MAX_LENGTH");
    flare::Draw(argv[1], flare::Number(argv[2]), flare::Number(argv[3]));
  } catch (const flare::InputError& error) {
    fmt::print(stderr, "sample_bench: {}\n", error.what());
    return 2;
  }
  return 0;
}
