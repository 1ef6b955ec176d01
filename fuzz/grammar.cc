// Grammars as text. One that is accepted can be written and read again, its normal form recognizes
// what its sampler draws.

#include "flare/grammars/grammar.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "flare/base/error.h"
#include "flare/languages/context_free.h"
#include "target.h"

namespace flare {

void FuzzGrammar(std::string_view text) {
  Accepts([&] {
    const Grammar grammar = ParseGrammar(text, "grammar");
    const auto lines = FormatGrammar(grammar);
    FLARE_CHECK(FormatGrammar(ParseGrammar(fmt::format("{}", fmt::join(lines, "\n")), "again")) ==
                lines);
    const ContextFreeLanguage language(grammar, "grammar");
    const auto sampler = language.MakeSampler({0, 12});
    Rng rng = Rng::For(0, "fuzz");
    String w;
    sampler->Sample(rng, w);
    FLARE_CHECK(language.Contains(w));
    FLARE_CHECK(language.edit_metric()->Distance(w) == 0);
  });
}

}  // namespace flare
