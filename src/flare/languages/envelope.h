// Envelopes: regular supersets of a language that know the shape of its strings and nothing of what
// they compute. They say how far one gets by format alone.

#ifndef FLARE_LANGUAGES_ENVELOPE_H_
#define FLARE_LANGUAGES_ENVELOPE_H_

#include <optional>
#include <string>

#include "flare/automata/dfa.h"
#include "flare/languages/language.h"

namespace flare {

// The automaton of a pattern over an alphabet. Throws InputError with `where` if it is not a
// pattern, or has other symbols.
Dfa CompileEnvelope(const std::string& pattern, const Alphabet& alphabet, const std::string& where);

// Makes `pattern` the language's envelope. Throws InputError with `where` if it is not a pattern
// over the language's alphabet, or if it lacks a member; that is decided for regular languages.
void GiveEnvelope(const std::string& pattern, const std::string& where, NamedLanguage& language);

// The envelope as a pattern: what the language has, else what can be found out. For automata and
// grammars that is the intersection of: which symbols come first, last and side by side (the
// strictly 2-local closure), and the remainders of the lengths modulo 2, 3, 4 and 5; `.*` if that
// is no restriction. Empty for languages of which nothing is known.
std::string EnvelopeOf(const NamedLanguage& language);

// Its automaton, over the language's alphabet; nothing where EnvelopeOf is empty.
std::optional<Dfa> EnvelopeAutomaton(const NamedLanguage& language);

}  // namespace flare

#endif  // FLARE_LANGUAGES_ENVELOPE_H_
