// How fast datasets are made and read, on one core. Arguments: the published data's folder is taken
// from $FLARE_PUBLISHED_DATA; without it, freshly generated data is read.

#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/data/flare_files.h"
#include "flare/data/generate.h"
#include "flare/languages/catalog.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (fs::temp_directory_path() / "flare-bench-XXXXXX").string();
    FLARE_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~ScratchDirectory() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::size_t GenerateInto(const fs::path& out, std::size_t jobs) {
  std::vector<DatasetRequest> requests;
  for (const std::string& name : PaperLanguages())
    requests.push_back({name, ResolveLanguage(name)});
  const GenerateOptions options{out, 0, MakePreset("flare")};
  ProgressObserver nobody;
  Progress progress(nobody, requests.size(), "languages");
  GenerateAll(requests, options, jobs, progress);
  std::size_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

// The paper's 18 languages, all splits, every file, synced to disk. Bar: 6 s for one job.
void Generate_All(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    const ScratchDirectory scratch;
    bytes += GenerateInto(scratch.path() / "d", static_cast<std::size_t>(state.range(0)));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(Generate_All)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kSecond)->Iterations(3);

// The 18 training splits with their next-symbol sets. Bar: 1.5 s.
void Read_TrainingSplits(benchmark::State& state) {
  const ScratchDirectory scratch;
  fs::path root = scratch.path() / "d";
  if (const char* published = std::getenv("FLARE_PUBLISHED_DATA")) {
    root = published;
  } else {
    GenerateInto(root, 2);
  }
  std::size_t bytes = 0;
  for (auto _ : state) {
    for (const std::string& name : PaperLanguages()) {
      const fs::path dataset = root / name;
      const Split split = ReadSplit(dataset, "train", ReadAlphabet(dataset));
      FLARE_CHECK(split.size() == 10000 && split.next_symbols.size() > 10000);
      bytes += fs::file_size(dataset / "next-symbols.jsonl");
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(Read_TrainingSplits)->UseRealTime()->Unit(benchmark::kSecond);

// What generation could not go below: hashing and writing as many bytes as it makes.
void Limit_HashAndWrite(benchmark::State& state) {
  const std::string megabytes(20 << 20, 'x');
  for (auto _ : state) {
    const ScratchDirectory scratch;
    benchmark::DoNotOptimize(Sha256(megabytes));
    const std::string path = (scratch.path() / "file").string();
    WriteFile(path, megabytes);
    Sync(path);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * megabytes.size()));
}
BENCHMARK(Limit_HashAndWrite)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flare

BENCHMARK_MAIN();
