// The loops of the recurrent cells between their matrix products. All widths are multiples of 8
// floats; rows lie side by side. Nothing here checks or allocates. The code is compiled for several
// instruction sets; the target of the calling thread (target.h) says which one runs.

#ifndef FLARE_NN_KERNELS_RECURRENT_KERNELS_H_
#define FLARE_NN_KERNELS_RECURRENT_KERNELS_H_

#include <cstddef>

namespace flare {

// h (rows, width) = tanh(x + bias).
void TanhForward(std::size_t rows, std::size_t width, const float* bias, const float* x, float* h);
// dx = dh ⊙ (1 − h²); dx and dh may be the same.
void TanhBackward(std::size_t count, const float* h, const float* dh, float* dx);

// One LSTM step. `gates` (rows, 4·width) holds the pre-activations and becomes i, f, g, o,
// interleaved in blocks of eight units [i₈ f₈ g₈ o₈]; `bias` has the same order.
//   c = f ⊙ c_prev + i ⊙ g,  h = o ⊙ tanh(c)
// (paper, Appendix C.2).
void LstmForward(std::size_t rows, std::size_t width, const float* bias, const float* c_prev,
                 float* gates, float* c, float* h);
// Computes the gradient of the pre-activations, which replaces the gates, and that of c_prev, which
// overwrites `dc_prev`, from dh and dc (the gradient that the next step left for c).
void LstmBackward(std::size_t rows, std::size_t width, const float* c, const float* c_prev,
                  const float* dh, const float* dc, float* gates, float* dc_prev);

// One GRU step. `pre` (rows, 3·width) holds the inputs' part and becomes r, z, n, interleaved in
// blocks of eight units; `from_state` has W_h h_prev in the same order, of which the candidate's
// part is kept in `candidate` (rows, width).
void GruForward(std::size_t rows, std::size_t width, const float* bias, const float* from_state,
                const float* h_prev, float* pre, float* candidate, float* h);
// Computes the gradients of the inputs' part, which replaces `pre`, and of the state's part, in
// `d_from_state`, from dh; dh_prev += dh ⊙ z, the direct way.
void GruBackward(std::size_t rows, std::size_t width, const float* h_prev, const float* candidate,
                 const float* dh, float* pre, float* d_from_state, float* dh_prev);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_RECURRENT_KERNELS_H_
