// The part that residual architectures share (paper, Appendix C.3): scaled embeddings, BOS first,
// then per layer
//
//   x ← x + dropout(mixer(LN₁ x))               x ← LN₁(x + dropout(mixer(x)))
//   x ← x + dropout(block(LN₂ x))               x ← LN₂(x + dropout(block(x)))
//
// and a layer norm at the end, with norm = pre (left; the default), or none, with norm = post
// (right; Vaswani et al. 2017). A mixer (mixer.h) supplies the first of the two lines; the second
// is the feed-forward block (feed_forward.h) of feed_forward·d hidden units. With loops = n, what
// comes out of the last layer goes through all of them again, n times in all, before the norm at
// the end. With padding = n, recognition reads n symbols of padding after the string, which have
// one embedding, and looks at the vector after them. Position t of a string
// is what follows its first t symbols: BOS is 0. Inside, rows are string-major; Forward and
// Backward translate from and to the group's order.

#ifndef FLARE_NN_RESIDUAL_H_
#define FLARE_NN_RESIDUAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flare/base/option.h"
#include "flare/nn/architectures.h"
#include "flare/nn/embedding.h"
#include "flare/nn/encoder.h"
#include "flare/nn/feed_forward.h"
#include "flare/nn/mixer.h"
#include "flare/nn/norm.h"
#include "flare/nn/positions.h"

namespace flare {

// The options of the skeleton, which all residual architectures have besides their own.
std::vector<Option> ResidualOptions();
// `own`, and then those of the skeleton that it does not have.
std::vector<Option> WithResidualOptions(std::vector<Option> own);

// Finds an option of the skeleton that has no effect together with the others.
std::optional<OptionConflict> ResidualConflict(const OptionTexts& options);

struct ResidualShape {
  // The vectors that are added to the embeddings: none, sinusoidal encodings, or those of a table,
  // which has positions.size of them.
  enum class Encodings { kNone, kSinusoidal, kTable };
  Encodings encodings = Encodings::kNone;
  std::string mixer_name;           // of its parameters, within a layer
  std::size_t longest = 1'000'000;  // see Encoder::longest
  PositionRange positions = {};
};

class ResidualEncoder : public Encoder {
 public:
  // Requires: config.hidden is a multiple of 8. Parameters are added to `parameters`, which must
  // outlive the encoder.
  ResidualEncoder(const EncoderConfig& config, const ResidualShape& shape, MixerFactory* make_mixer,
                  Parameters& parameters);

  std::size_t width() const override { return d_; }
  std::size_t embedding_parameter() const override { return embedding_.parameter(); }
  GroupLimit training_group() const override { return {8, 2048}; }
  GroupLimit inference_group() const override { return {8, 2048}; }
  double TrainingBytes(std::size_t length) const override;
  double EncodingBytes(std::size_t length) const override;
  std::size_t longest() const override { return shape_.longest; }
  std::vector<std::uint32_t> padding() const override;
  bool knows_length() const override {
    return shape_.positions.kind == PositionRange::Kind::kRandomized;
  }
  void ParametersChanged() override;
  const float* Forward(const Group& group, const Dropout& dropout, Positions wanted) override;
  void Backward(const Group& group, const Dropout& dropout, Positions wanted,
                float* d_hidden) override;
  const float* Infer(const Group& group) override;
  const float* Encode(const Group& group) override;

 private:
  struct Block {
    Norm norm;
    FeedForward feed_forward;
  };
  struct Layer {
    Norm norm;
    std::unique_ptr<Mixer> mixer;
    std::optional<Block> block;
  };
  // Values that a layer keeps for Backward; inference needs one for all layers.
  struct Kept {
    FloatArray y1;    // (R, d): what the mixer reads, LN₁ x or x
    RowArrays mixer;  // (R, …)
    FloatArray y2;    // (Q, d): what the block reads, LN₂ x or x
    FeedForward::Kept block;
    // (Q, d): keep-bits, eight to a byte.
    std::vector<std::uint8_t> mask_mixer, mask_block;
  };

  const OutputRows& OutputsOf(std::size_t layer, Positions wanted) const {
    return wanted == Positions::kLast && layer + 1 == layers_.size() ? last_ : all_;
  }
  Mixer::Pass PassOf(std::size_t layer, const OutputRows& outputs, const Dropout& dropout,
                     bool training);
  // Leaves the outputs in top_, and returns which rows they belong to.
  const OutputRows& Run(const Group& group, const Dropout& dropout, Positions wanted,
                        bool training);
  // If norm = post, x_ becomes its norm.
  void NormAfter(Norm& norm, std::size_t rows);
  void NormAfterBackward(Norm& norm, std::size_t rows);
  void RunBlock(Block& block, std::uint32_t site, const OutputRows& outputs, const Dropout& dropout,
                Kept& kept);
  // dx_ becomes that of the block's input.
  void BackwardBlock(Block& block, const Kept& kept, std::size_t rows, const Dropout& dropout);
  // scratch_ becomes the gradient of the dropout's input, whose output was added to x.
  void DropGradient(std::size_t rows, const std::vector<std::uint8_t>& mask,
                    const Dropout& dropout);
  std::size_t BlockWidth() const {
    return layers_[0].block ? layers_[0].block->feed_forward.kept_width() : 0;
  }
  void Resize(bool training);
  void GrowEncodings(std::size_t positions);
  float EmbeddingScale() const;
  void Embed(const Group& group, const Dropout& dropout);
  void AddEncodings();
  const float* InGroupOrder(const OutputRows& top);
  // Reduces a row per position to one per string, its last; and goes back, with zeros for the
  // others.
  void KeepLastRows(FloatArray& rows);
  void SpreadLastRows(FloatArray& rows);

  Parameters& parameters_;
  ResidualShape shape_;
  std::size_t padding_;    // how many symbols
  std::size_t d_, units_;  // of the hidden vectors, of feed-forward blocks
  bool norm_first_;
  TokenEmbedding embedding_;
  std::optional<std::size_t> table_;  // the parameter of positions' vectors
  std::vector<Layer> layers_;         // in the order of the passes; loops share their weights
  std::vector<Kept> kept_;
  std::optional<Norm> final_norm_;

  OutputRows all_, last_;
  std::vector<std::uint32_t> token_;         // (R)
  std::vector<std::uint32_t> positions_;     // (R)
  std::vector<std::uint8_t> embedded_mask_;  // (R, d): keep-bits, eight to a byte
  FloatArray encodings_;                     // (positions of the longest string so far, d)
  FloatArray zeros_;                         // (d), the bias of a mixer that has none
  FloatArray x_;                             // (R, d), then (Q, d): the residual stream
  FloatArray top_;                           // (Q, d): what the norm at the end makes of it
  FloatArray hidden_;                        // (R, d): the same in the group's order
  FloatArray dx_;                            // (Q, d), then (R, d): the gradient of x_
  FeedForward::Scratch block_scratch_;       // (Q, …)
  FloatArray mixed_gradient_;                // (R, d): that of what the mixer reads
  FloatArray scratch_;                       // (R, d)
  RowArrays mixer_scratch_;                  // (R, …)
};

}  // namespace flare

#endif  // FLARE_NN_RESIDUAL_H_
