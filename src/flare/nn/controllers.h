// The cells of rnn.cc and lstm.cc, for cells that add something to them.

#ifndef FLARE_NN_CONTROLLERS_H_
#define FLARE_NN_CONTROLLERS_H_

#include <memory>

#include "flare/nn/recurrent.h"

namespace flare {

std::unique_ptr<RecurrentCell> MakeRnnCell(const CellContext& context);
std::unique_ptr<RecurrentCell> MakeLstmCell(const CellContext& context);

}  // namespace flare

#endif  // FLARE_NN_CONTROLLERS_H_
