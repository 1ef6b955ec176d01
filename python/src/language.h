// A language as Python has it.

#ifndef FLARE_PYTHON_LANGUAGE_H_
#define FLARE_PYTHON_LANGUAGE_H_

#include <functional>
#include <memory>
#include <utility>

#include "flare/languages/language.h"
#include "strings.h"

namespace flare::python {

struct BoundLanguage {
  using Make = std::function<NamedLanguage()>;

  // `again` makes it again; by default from what a manifest would keep of it.
  explicit BoundLanguage(NamedLanguage of, Make again = nullptr);

  const Language& language() const { return *named.language; }

  NamedLanguage named;
  AlphabetPointer alphabet;  // a copy that its strings keep alive
  Make again;                // for callers that need their own
};

}  // namespace flare::python

#endif  // FLARE_PYTHON_LANGUAGE_H_
