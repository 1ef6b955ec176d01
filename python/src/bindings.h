// The module _flarelang: the rooms of src/flare as Python sees them. Only this folder
// uses pybind11; what needs no C++ is in ../flarelang.

#ifndef FLARE_PYTHON_BINDINGS_H_
#define FLARE_PYTHON_BINDINGS_H_

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <utility>
#include <vector>

namespace flare::python {

namespace py = pybind11;

// Each declares the classes and functions of its file to the module.
void BindErrors();
void BindStrings(py::module_& module);
void BindLanguage(py::module_& module);
void BindCustomLanguage(py::module_& module);
void BindData(py::module_& module);
void BindRun(py::module_& module);
void BindRunFiles(py::module_& module);
void BindEngine(py::module_& module);
void BindAnalysis(py::module_& module);

// `__new__` makes an object of T that `__init__` has not filled in, as pickle needs it. Whoever
// uses such an object gets a TypeError instead of memory that was never written.
template <class T>
void RefuseUninitialized() {
  py::detail::get_type_info(typeid(T), true)->operator_new = [](std::size_t) -> void* {
    throw py::type_error("the object is not initialized: call its class instead of __new__");
  };
}

// The vector as an array that owns it, without a copy; T and Element have the same bits.
template <class Element, class T>
py::array_t<Element> ArrayOf(std::vector<T> values) {
  static_assert(sizeof(Element) == sizeof(T));
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<T>*>(p); });
  const auto* data = reinterpret_cast<const Element*>(kept->data());
  return py::array_t<Element>(static_cast<py::ssize_t>(kept->size()), data, owner);
}

}  // namespace flare::python

#endif  // FLARE_PYTHON_BINDINGS_H_
