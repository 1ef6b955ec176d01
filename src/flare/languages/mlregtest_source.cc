// mlregtest:04.03.TLT.2.1.0: a language of MLRegTest (van der Poel et al. 2024), from a folder with
// its automata as AT&T text, NAME.att or NAME.txt. Where there is no file for a co-language, it is
// the complement of the language without `co`.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "flare/automata/operations.h"
#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/languages/regular_source.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

std::string FolderOf(const std::string& text, const ResolveOptions& options) {
  if (options.mlregtest) return *options.mlregtest;
  if (const char* folder = std::getenv("FLARE_MLREGTEST"); folder != nullptr && *folder != '\0') {
    return folder;
  }
  throw InputError(text, "where are MLRegTest's automata?",
                   "name their folder with --mlregtest or $FLARE_MLREGTEST");
}

std::optional<fs::path> FileOf(const fs::path& folder, const std::string& name) {
  for (const char* ending : {".att", ".txt"}) {
    const fs::path file = folder / (name + ending);
    if (fs::exists(file)) return file;
  }
  return std::nullopt;
}

// The third of the fields of Σ.τ.class.k.t.i is the class, as coSL or TcoSL; nothing if it has no
// `co`.
std::optional<std::string> WithoutCo(const std::string& name) {
  const std::size_t begin = name.find('.', std::min(name.find('.'), name.size() - 1) + 1);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = name.find('.', begin + 1);
  const std::size_t co = name.find("co", begin);
  if (co == std::string::npos || co >= end) return std::nullopt;
  return name.substr(0, co) + name.substr(co + 2);
}

}  // namespace

NamedLanguage ParseMlregtestSource(const std::string& text, const std::string& name,
                                   const ResolveOptions& options) {
  const fs::path folder = FolderOf(text, options);
  if (name.empty() || name.find('/') != std::string::npos) {
    throw InputError(text, fmt::format("{} is not an MLRegTest name", Quoted(name)),
                     "as mlregtest:04.03.TLT.2.1.0");
  }
  AttOptions att{.acceptor = options.att_acceptor};
  if (options.att_symbols) {
    att.symbols = ParseSymbolTable(ReadFile(*options.att_symbols), *options.att_symbols);
  }
  const auto read = [&](const fs::path& file) { return ParseAtt(ReadFile(file), file, att); };
  const std::string definition = "the language " + name + " of MLRegTest";
  if (const auto file = FileOf(folder, name)) {
    return FromAutomaton(read(*file), text, definition, text);
  }
  if (const auto other = WithoutCo(name)) {
    if (const auto file = FileOf(folder, *other)) {
      Effort effort(text);
      return FromAutomaton(Minimize(Complement(read(*file), effort)), text, definition, text);
    }
  }
  throw InputError(folder, fmt::format("has no {0}.att or {0}.txt", name));
}

}  // namespace flare
