// command:FILE: a language that only a program knows. It is asked line by line:
//
//   alphabet             a b c            the symbols
//   contains a b         1 or 0           a string; symbols are separated by single spaces
//   sample 0 40 17       = a b            a member with a length in the range, the same for the
//                                         same number; - if there is none
//   next a b             0 a c            for a prefix of a member: can it end here,
//                                         and which symbols can come next;
//                                         ? if the program cannot say
//
// docs/how-to/languages-of-your-own.md describes it to users.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/process.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

std::vector<std::string> WordsIn(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    if (end > begin) words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

class CommandLanguage : public Language {
 public:
  explicit CommandLanguage(const std::string& file)
      : file_(file),
        conversation_(std::make_unique<Conversation>(file)),
        alphabet_(AskAlphabet()) {}

  const Alphabet& alphabet() const override { return alphabet_; }

  bool Contains(StringView w) const override {
    const std::string question = With("contains", w);
    const std::string answer = Ask(question);
    if (answer != "0" && answer != "1") Refuse(question, answer, "1 or 0");
    return answer == "1";
  }

  void NextSymbols(StringView w, NextSymbolSets& sets) const override {
    sets.Clear();
    for (std::size_t t = 0; t <= w.size(); ++t) {
      const std::string question = With("next", w.first(t));
      const std::string answer = Ask(question);
      if (answer == "?") {
        throw InputError(file_, "does not say which symbols can come next",
                         "--set files.next_symbols=false leaves them out");
      }
      const std::vector<std::string> words = WordsIn(answer);
      if (words.empty() || (words[0] != "0" && words[0] != "1")) {
        Refuse(question, answer, "0 or 1 and symbols, or ?");
      }
      sets.Append();
      for (std::size_t i = 1; i < words.size(); ++i) {
        const auto symbol = alphabet_.Find(words[i]);
        if (!symbol) Refuse(question, answer, "symbols of its alphabet");
        sets.Add(*symbol);
      }
      if (words[0] == "1") sets.AddEos();
      const bool knows_w = t < w.size() ? sets.Contains(t, w[t]) : sets.ContainsEos(t);
      if (!knows_w) {
        Refuse(
            question, answer,
            fmt::format("what comes next in {}, which it contains", Quoted(alphabet_.Format(w))));
      }
    }
  }

  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override {
    auto sampler = std::make_unique<Sampler>(*this, range);
    // Whether there is a member shows in the first draw, and must be known now.
    if (!sampler->Draw(0)) ThrowNoMember(range);
    return sampler;
  }

 private:
  class Sampler : public PositiveSampler {
   public:
    Sampler(const CommandLanguage& language, LengthRange range)
        : language_(language), range_(range) {}

    void Sample(Rng& rng, String& w) const override {
      auto drawn = Draw(rng.Bits() >> 1);  // fits a signed number of 64 bits
      if (!drawn) {
        throw InputError(language_.file_,
                         fmt::format("has a member with a length in [{}, {}] for one number and "
                                     "none for another",
                                     range_.min, range_.max));
      }
      w = std::move(*drawn);
    }

    // Checked: its length, its symbols, and that the program itself contains it.
    std::optional<String> Draw(std::uint64_t number) const {
      const std::string question = fmt::format("sample {} {} {}", range_.min, range_.max, number);
      const std::string answer = language_.Ask(question);
      if (answer == "-") return std::nullopt;
      if (answer != "=" && !answer.starts_with("= ")) {
        language_.Refuse(question, answer, "= and a string, or -");
      }
      String w;
      for (const std::string& word : WordsIn(answer.substr(1))) {
        const auto symbol = language_.alphabet_.Find(word);
        if (!symbol) language_.Refuse(question, answer, "symbols of its alphabet");
        w.push_back(*symbol);
      }
      if (!range_.Contains(w.size())) {
        language_.Refuse(question, answer,
                         fmt::format("a length in [{}, {}]", range_.min, range_.max));
      }
      if (!language_.Contains(w))
        language_.Refuse(question, answer, "a member; it does not contain the string itself");
      return w;
    }

   private:
    const CommandLanguage& language_;
    LengthRange range_;
  };

  Alphabet AskAlphabet() const {
    const std::string answer = Ask("alphabet");
    std::vector<std::string> words = WordsIn(answer);
    if (words.empty()) Refuse("alphabet", answer, "symbols separated by spaces");
    for (const std::string& word : words) CheckSymbolName(word, file_ + ": alphabet");
    return Alphabet(std::move(words));
  }

  std::string With(const char* verb, StringView w) const {
    return w.empty() ? verb : fmt::format("{} {}", verb, alphabet_.Format(w));
  }
  // Threads take turns: the program gets one question at a time.
  std::string Ask(const std::string& question) const {
    const std::lock_guard lock(mutex_);
    return conversation_->Ask(question);
  }
  [[noreturn]] void Refuse(const std::string& question, const std::string& answer,
                           const std::string& expected) const {
    throw InputError(file_, fmt::format("answers {} to {}", Quoted(answer), Quoted(question)),
                     "expected " + expected);
  }

  std::string file_;
  std::unique_ptr<Conversation> conversation_;
  mutable std::mutex mutex_;
  Alphabet alphabet_;
};

}  // namespace

NamedLanguage ParseCommandSource(const std::string& text, const std::string& file,
                                 const ResolveOptions&) {
  // A name without a folder is a file here, not a program on the PATH.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  if (!std::filesystem::is_regular_file(path)) {
    throw InputError(file, std::filesystem::exists(path) ? "is not a file" : "no such file");
  }
  return {.name = text,
          .language_class = LanguageClass::kUnknown,
          .definition = "the strings that the program contains",
          .identity = "command:" + Sha256(ReadFile(path)),
          .language = std::make_unique<CommandLanguage>(path)};
}

// The program stays with the user; its hash tells it from others.
Json SaveCommand(const NamedLanguage& language) { return {{"program", language.identity}}; }

}  // namespace flare
