// dyck-2-3: balanced brackets of two types, nested at most three deep.

#include <memory>

#include "flare/languages/catalog.h"
#include "flare/languages/dyck.h"
#include "flare/languages/regular.h"

namespace flare {

std::unique_ptr<Language> MakeDyck23() {
  return std::make_unique<RegularLanguage>(BoundedDyck(2, 3));
}

}  // namespace flare
