// One step of the sLSTM between its matrix products (slstm.cc).

#ifndef FLARE_NN_KERNELS_SLSTM_KERNELS_H_
#define FLARE_NN_KERNELS_SLSTM_KERNELS_H_

#include <cstddef>

namespace flare {

// The states c, n and m of rows of units.
struct SLstmState {
  float *c, *n, *m;
};

// `gates` (rows, 4·width) holds the pre-activations and becomes i, f, z, o, interleaved in blocks
// of eight units [i₈ f₈ z₈ o₈]; `bias` has the same order. With m = max(log σ(f̃) + m_prev, ĩ), or ĩ
// where n_prev is 0,
//   i = exp(ĩ − m),  f = exp(log σ(f̃) + m_prev − m),  z = tanh(z̃),  o = σ(õ)
//   c = f ⊙ c_prev + i ⊙ z,  n = f ⊙ n_prev + i,  h = o ⊙ c/n
// `slope` gets σ(−f̃), the derivative of log σ(f̃).
void SLstmForward(std::size_t rows, std::size_t width, const float* bias, const SLstmState& before,
                  float* gates, const SLstmState& after, float* slope, float* h);
// Computes the gradient of the pre-activations, which replaces the gates, and those of c_prev and
// n_prev, which are overwritten, from dh and the gradients that the next step left for c and n. No
// gradient flows through m, on which h does not depend.
void SLstmBackward(std::size_t rows, std::size_t width, const SLstmState& before,
                   const SLstmState& after, const float* slope, const float* dh,
                   const SLstmState& d_after, float* gates, const SLstmState& d_before);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_SLSTM_KERNELS_H_
