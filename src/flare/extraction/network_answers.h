// A recognizer as a function of strings: what does it accept? It reads many strings at a time, but
// its answers depend on the string alone, as those of `flare predict` do: neighbours in a batch
// move a logit in its last bits only, and whatever comes close to the border is asked for once
// more, alone.

#ifndef FLARE_EXTRACTION_NETWORK_ANSWERS_H_
#define FLARE_EXTRACTION_NETWORK_ANSWERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/nn/model.h"

namespace flare {

class NetworkAnswers {
 public:
  // The model must outlive it.
  NetworkAnswers(Model& model, std::size_t alphabet_size);

  // 1 for accepted. Throw InputError if a string is too long for the model.
  std::vector<std::uint8_t> Of(std::span<const String> strings);
  // Returns the answers for ε, w₁, …, w of each string w in turn, side by side.
  std::vector<std::uint8_t> OfPrefixes(std::span<const String> strings);

  // The time that the network's passes took.
  double seconds() const { return seconds_; }

 private:
  void FillBatch(std::span<const String> strings);
  bool AskAlone(StringView w);

  Model& model_;
  Batch batch_, alone_;
  std::vector<float> logits_, logit_alone_;
  double seconds_ = 0;
};

}  // namespace flare

#endif  // FLARE_EXTRACTION_NETWORK_ANSWERS_H_
