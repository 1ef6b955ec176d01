#include "bindings.h"
#include "flare/base/json.h"

PYBIND11_MODULE(_flarelang, module) {
  using namespace flare::python;
  module.attr("__version__") = flare::Version();
  BindErrors();
  BindStrings(module);
  BindLanguage(module);
  BindCustomLanguage(module);
  BindData(module);
  BindRun(module);
  BindRunFiles(module);
  BindEngine(module);
  BindAnalysis(module);
}
