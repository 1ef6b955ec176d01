// The loops of mamba between its matrix products: the selective scan along the positions of one
// string, and what comes before and after it. Lanes are channels; each has N states.

#ifndef FLARE_NN_KERNELS_MAMBA_KERNELS_H_
#define FLARE_NN_KERNELS_MAMBA_KERNELS_H_

#include <cstddef>

namespace flare {

// y = exp(x).
void ExpForward(std::size_t count, const float* x, float* y);
// sum += x ⊙ y.
void AddProducts(std::size_t count, const float* x, const float* y, float* sum);

// y = log(1 + e^(x + bias)); x (rows, width) becomes the derivative of that, σ(x + bias), by which
// the backward pass multiplies.
void BiasSoftplus(std::size_t rows, std::size_t width, const float* bias, float* x, float* y);
// x ⊙= factors.
void MultiplyBy(std::size_t count, const float* factors, float* x);

// out (rows, width) = y ⊙ SiLU(z), with rows of z at a distance.
void SiluGateForward(std::size_t rows, std::size_t width, const float* y, const float* z,
                     std::size_t z_stride, float* out);
// dy and dz are overwritten; rows of dz are as far apart as those of z.
void SiluGateBackward(std::size_t rows, std::size_t width, const float* y, const float* z,
                      std::size_t z_stride, const float* d_out, float* dy, float* dz);

inline constexpr std::size_t kMostStates = 64;
// The backward pass recomputes this many positions from the states before them.
inline constexpr std::size_t kScanChunk = 8;

struct ScanShape {
  std::size_t n;         // positions
  std::size_t first;     // that of the first output
  std::size_t channels;  // E, a multiple of 8
  std::size_t states;    // N, at most kMostStates
  bool is_signed;        // are decays in (−1, 1), or in (0, 1)?

  // Returns the width of a row of B and C together; C begins in the middle.
  std::size_t row_of_bc() const { return 2 * ((states + 7) / 8 * 8); }
  // Floats that ScanForward leaves to ScanBackward, and that the latter needs room for.
  std::size_t kept() const { return n == 0 ? 0 : (n - 1) / kScanChunk * states * channels; }
  std::size_t scratch() const { return (2 * kScanChunk * 8 + channels) * states; }
};
// The input of the scan: u and Δ (n, E), B and C (n, row_of_bc) of each position, and −A (N, E) > 0
// and D (E) of the layer.
struct ScanInput {
  const float *u, *delta, *bc, *rate, *skip;
};
// h_t = ā_t ⊙ h_{t−1} + (Δ_t u_t) B_tᵀ,  y_t = h_t C_t + D ⊙ u_t       with ā = exp(ΔA), or 2
// exp(ΔA) − 1 for t = 0, …, n−1 from h = 0; y (n − first, E). `kept` gets the states before every
// chunk but the first, as only ScanBackward reads them; null if no backward pass follows.
void ScanForward(const ScanShape& shape, const ScanInput& in, float* kept, float* y);
struct ScanGradient {
  float *u, *delta, *bc;  // overwritten, the padding of bc too
  float *rate, *skip;     // added to
};
// Chunk by chunk from the last: decays and states of its positions are computed again, which costs
// less than to keep them (N floats each per channel and position, beyond the second-level cache),
// and are in the first-level cache when they are used.
void ScanBackward(const ScanShape& shape, const ScanInput& in, const float* kept, const float* dy,
                  float* scratch, const ScanGradient& gradient);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_MAMBA_KERNELS_H_
