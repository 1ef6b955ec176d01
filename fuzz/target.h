// What a fuzz target is: a function that gives bytes to a reader of ours. The reader accepts them,
// or reports bad input; anything else (another exception, a signal, a failed check, memory or time
// without bound) is a bug. libFuzzer calls one of them with bytes that it makes up (libfuzzer.cc),
// replay.cc with those of the corpora.

#ifndef FLARE_FUZZ_TARGET_H_
#define FLARE_FUZZ_TARGET_H_

#include <string_view>

#include "flare/base/error.h"

namespace flare {

// Each is in the file of its name; replay.cc has the list of them.
void FuzzAtt(std::string_view input);
void FuzzDataset(std::string_view listing);
void FuzzGrammar(std::string_view text);
void FuzzJson(std::string_view text);
void FuzzRegex(std::string_view pattern);
void FuzzRun(std::string_view listing);
void FuzzSymbols(std::string_view input);
void FuzzTensors(std::string_view bytes);
void FuzzToml(std::string_view text);

// Calls read(); false if it reported bad input.
template <class Read>
bool Accepts(Read read) {
  try {
    read();
    return true;
  } catch (const InputError&) {
  } catch (const IoError&) {
  }
  return false;
}

}  // namespace flare

#endif  // FLARE_FUZZ_TARGET_H_
