// What residual architectures share (paper, Appendix C.3): scaled embeddings, BOS first, then per
// layer, pre-norm,
//
//   x ← x + dropout(mixer(LN₁ x))
//   x ← x + dropout(W₂ dropout(relu(W₁ LN₂ x + b₁)) + b₂)              hidden units: 4d
//
// and a layer norm at the end. A mixer (mixer.h) supplies the first of the two. Position t of a
// string is what follows its first t symbols: BOS is 0. Inside, rows are string-major; Forward and
// Backward translate from and to the group's order.

#ifndef FLARE_NN_RESIDUAL_H_
#define FLARE_NN_RESIDUAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flare/nn/affine.h"
#include "flare/nn/embedding.h"
#include "flare/nn/encoder.h"
#include "flare/nn/mixer.h"
#include "flare/nn/norm.h"

namespace flare {

struct ResidualShape {
  bool sinusoidal_positions;        // are encodings of the positions added to the embeddings?
  std::size_t feed_forward = 4;     // hidden units as multiples of d; 0: no such block
  std::string mixer_name;           // of its parameters, within a layer
  std::size_t longest = 1'000'000;  // see Encoder::longest
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
  void ParametersChanged() override;
  const float* Forward(const Group& group, const Dropout& dropout, Positions wanted) override;
  void Backward(const Group& group, const Dropout& dropout, Positions wanted,
                float* d_hidden) override;
  const float* Infer(const Group& group) override;
  const float* Encode(const Group& group) override;

 private:
  struct FeedForward {
    FeedForward(Parameters& parameters, const std::string& prefix, std::size_t d,
                std::size_t units);

    Norm norm;
    Affine up, down;
  };
  struct Layer {
    Norm norm;
    std::unique_ptr<Mixer> mixer;
    std::optional<FeedForward> feed_forward;
  };
  // What a layer leaves to Backward; inference needs one for all layers.
  struct Kept {
    FloatArray y1;      // (R, d): LN₁ x
    RowArrays mixer;    // (R, …)
    FloatArray y2;      // (Q, d): LN₂ x
    FloatArray hidden;  // (Q, 4d): after relu and dropout
    // Keep-bits, eight to a byte.
    std::vector<std::uint8_t> mask_mixer;   // (Q, d)
    std::vector<std::uint8_t> mask_hidden;  // (Q, 4d)
    std::vector<std::uint8_t> mask_down;    // (Q, d)
  };

  const OutputRows& OutputsOf(std::size_t layer, Positions wanted) const {
    return wanted == Positions::kLast && layer + 1 == layers_.size() ? last_ : all_;
  }
  Mixer::Pass PassOf(std::size_t layer, const OutputRows& outputs, const Dropout& dropout,
                     bool training);
  // Leaves the outputs in top_, and returns which rows they belong to.
  const OutputRows& Run(const Group& group, const Dropout& dropout, Positions wanted,
                        bool training);
  void RunFeedForward(FeedForward& block, std::uint32_t site, const OutputRows& outputs,
                      const Dropout& dropout, Kept& kept);
  // dx_ becomes that of the block's input.
  void BackwardFeedForward(FeedForward& block, const Kept& kept, std::size_t rows,
                           const Dropout& dropout);
  // scratch_ becomes the gradient of what dropout was applied to before it was added to x.
  void DropGradient(std::size_t rows, const std::vector<std::uint8_t>& mask,
                    const Dropout& dropout);
  void Resize(bool training);
  void GrowEncodings(std::size_t positions);
  float EmbeddingScale() const;
  void Embed(const Group& group, const Dropout& dropout);
  const float* InGroupOrder(const OutputRows& top);
  // From a row per position to one per string, its last; and back, with zeros for the others.
  void KeepLastRows(FloatArray& rows);
  void SpreadLastRows(FloatArray& rows);

  ResidualShape shape_;
  std::size_t d_, units_;  // of the hidden vectors, of feed-forward blocks
  TokenEmbedding embedding_;
  std::vector<Layer> layers_;
  std::vector<Kept> kept_;
  Norm final_norm_;

  OutputRows all_, last_;
  std::vector<std::uint32_t> token_;         // (R)
  std::vector<std::uint8_t> embedded_mask_;  // (R, d): keep-bits, eight to a byte
  FloatArray encodings_;                     // (positions of the longest string so far, d)
  FloatArray zeros_;                         // (d), the bias of a mixer that has none
  FloatArray x_;                             // (R, d), then (Q, d): the residual stream
  FloatArray top_;                           // (Q, d): what the norm at the end makes of it
  FloatArray hidden_;                        // (R, d): the same in the group's order
  FloatArray dx_;                            // (Q, d), then (R, d): the gradient of x_
  FloatArray wide_;                          // (Q, 4d): gradient of hidden
  FloatArray mixed_gradient_;                // (R, d): that of what the mixer reads
  FloatArray scratch_;                       // (R, d)
  RowArrays mixer_scratch_;                  // (R, …)
};

}  // namespace flare

#endif  // FLARE_NN_RESIDUAL_H_
