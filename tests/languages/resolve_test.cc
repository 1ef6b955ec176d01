#include <gtest/gtest.h>

#include <string>

#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/languages/source.h"
#include "support/shell.h"

namespace flare {
namespace {

std::string ErrorOf(const std::string& text, const ResolveOptions& options = {}) {
  try {
    ResolveLanguage(text, options);
  } catch (const InputError& error) {
    return std::string(error.what()) + "|" + error.hint();
  }
  return "accepted";
}

TEST(Resolve, FindsNamesPatternsAndFiles) {
  EXPECT_EQ(ResolveLanguage("majority").regular(), nullptr);
  EXPECT_NE(ResolveLanguage("parity").regular(), nullptr);
  EXPECT_EQ(*ResolveLanguage("regex:(0*10*1)*0*10*").language->dfa(),
            *ResolveLanguage("parity").language->dfa());

  const TemporaryDirectory directory;
  const std::string automaton = directory.path() / "a.txt", table = directory.path() / "s.txt";
  const Dfa dyck = *ResolveLanguage("dyck-2-3").language->dfa();
  WriteFileAtomically(automaton, FormatAtt(dyck));
  WriteFileAtomically(table, FormatSymbolTable(dyck.alphabet()));
  EXPECT_EQ(*ResolveLanguage("att:" + automaton).language->dfa(), dyck);
  EXPECT_EQ(*ResolveLanguage("att:" + automaton, {.att_symbols = table}).language->dfa(), dyck);
}

TEST(Resolve, ExplainsWhatItCannotFind) {
  EXPECT_EQ(ErrorOf("majorty"), "unknown language 'majorty'|did you mean majority?");
  EXPECT_TRUE(
      ErrorOf("@").starts_with("unknown language '@'|'flare languages' lists them; regex:PATTERN"));
  EXPECT_EQ(ErrorOf("att:/no/such/file"), "/no/such/file: no such file|");
  EXPECT_EQ(ErrorOf("regex:a[]"), "regex:a[]: the language is empty: it has no strings|");
  EXPECT_EQ(ErrorOf("parity", {.extra_symbols = {"2"}}),
            "--alphabet is for regex:, att:, cfg: and combine: languages only|");
  EXPECT_EQ(ErrorOf("regex:a", {.att_acceptor = true}),
            "--att-acceptor is for att: and mlregtest: languages only|");
}

}  // namespace
}  // namespace flare
