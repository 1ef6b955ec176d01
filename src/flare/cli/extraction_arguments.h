// --max-length, --max-states and --queries: what flare extract and flare sweep extract share.

#ifndef FLARE_CLI_EXTRACTION_ARGUMENTS_H_
#define FLARE_CLI_EXTRACTION_ARGUMENTS_H_

#include <cstdint>

#include "flare/cli/command.h"
#include "flare/extraction/extract.h"

namespace flare {

class ExtractionArguments {
 public:
  explicit ExtractionArguments(CLI::App& app);
  // Throws InputError if one makes no sense.
  ExtractionOptions Get() const;

 private:
  std::uint64_t max_length_ = 0;
  CLI::Option* max_length_option_;
  std::uint64_t max_states_ = ExtractionOptions{}.max_states;
  std::uint64_t queries_ = ExtractionOptions{}.max_queries;
};

}  // namespace flare

#endif  // FLARE_CLI_EXTRACTION_ARGUMENTS_H_
