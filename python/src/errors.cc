// Our errors as Python's: the user's are ValueError, the machine's OSError with its errno.

#include "bindings.h"
#include "flare/base/error.h"
#include "flare/runs/run_directory.h"

namespace flare::python {
namespace {

void SetOsError(int error_number, const char* message) {
  // Called like this, OSError becomes FileNotFoundError and the like.
  const py::object type = py::reinterpret_borrow<py::object>(PyExc_OSError);
  const py::object error = type(error_number, message);
  PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
}

}  // namespace

void BindErrors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      const std::string hint = error.hint().empty() ? "" : "\n" + error.hint();
      PyErr_SetString(PyExc_ValueError, (error.what() + hint).c_str());
    } catch (const IoError& error) {
      SetOsError(error.error_number(), error.what());
    } catch (const std::filesystem::filesystem_error& error) {
      SetOsError(error.code().value(), error.what());
    } catch (const RunLost&) {
      PyErr_SetString(PyExc_RuntimeError, "another process has taken this run over");
    }
  });
}

}  // namespace flare::python
