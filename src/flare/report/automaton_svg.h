// An automaton laid out by Graphviz, as SVG to be put into a page.

#ifndef FLARE_REPORT_AUTOMATON_SVG_H_
#define FLARE_REPORT_AUTOMATON_SVG_H_

#include <string>

#include "flare/automata/dfa.h"

namespace flare::report {

// Can the automaton be laid out in less than a second or so, and read? The layout takes time that
// grows with the square of the edges and more: minutes for the 3,600 of the group A5.
bool CanBeDrawn(const Dfa& dfa);

// An <svg> element without XML prologue. Its colours are Graphviz's; the page's style sheet
// replaces them, so that it is readable in the dark too. Not thread-safe, as Graphviz is not.
std::string AutomatonSvg(const Dfa& dfa, const std::string& title);

}  // namespace flare::report

#endif  // FLARE_REPORT_AUTOMATON_SVG_H_
