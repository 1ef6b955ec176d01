#include "flare/cli/extraction_arguments.h"

#include <fmt/format.h>

#include "flare/base/error.h"

namespace flare {
namespace {

// Pools, tables and exact errors grow with it.
constexpr std::uint64_t kLongestClaim = 10'000;

}  // namespace

ExtractionArguments::ExtractionArguments(CLI::App& app)
    : max_length_option_(AddCount(app, "--max-length", max_length_,
                                  "the automaton is a claim about strings up to this length")
                             ->default_str("the longest training string")) {
  AddCount(app, "--max-states", max_states_, "stop at an automaton of this many states");
  AddCount(app, "--queries", queries_, "stop after asking the network about this many strings");
}

ExtractionOptions ExtractionArguments::Get() const {
  if (max_length_ > kLongestClaim) {
    throw InputError("--max-length", fmt::format("{} is above {}", max_length_, kLongestClaim));
  }
  if (max_states_ == 0) throw InputError("--max-states", "expected at least 1 state");
  if (queries_ == 0) throw InputError("--queries", "expected at least 1 string");
  ExtractionOptions options{.max_states = max_states_, .max_queries = queries_};
  if (max_length_option_->count() > 0) options.max_length = max_length_;
  return options;
}

}  // namespace flare
