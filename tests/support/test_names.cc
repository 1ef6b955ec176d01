#include "support/test_names.h"

#include "flare/languages/catalog.h"

namespace flare {

Names TestNames() {
  Names names;
  names.architectures = {
      {"rnn", "0.2", {}}, {"lstm", "0.2", {}}, {"gru", "0.2", {}}, {"transformer", "0.1", {}}};
  names.loss_terms = {
      {"lm", "lm", "language modelling", {}, true},
      {"ns", "next_symbol", "next symbols", {"accuracy.positions", "accuracy.strings"}, true}};
  names.optimizers = {{"adam", "", {"adam_beta1"}}, {"sgd", "", {"momentum"}}};
  names.schedules = {{"plateau", "", {"learning_rate_patience"}}, {"cosine", "", {}}};
  names.targets = {"avx2", "native", "portable"};
  names.language_sets["all"] = names.language_sets["paper"] = PaperLanguages();
  names.language_sources = {"regex:", "att:"};
  names.atlas = [](std::size_t states, const std::string&) {
    return std::vector<std::string>(states, "small:2:3");
  };
  return names;
}

}  // namespace flare
