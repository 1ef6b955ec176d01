#include "strings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare::python {
namespace {

// The array with elements of this type, itself if it has them already.
template <class T>
py::array_t<T> Whole(const char* name, const py::array& array) {
  if (array.ndim() != 1) {
    throw InputError(name, fmt::format("has {} dimensions; expected 1", array.ndim()));
  }
  const char kind = array.dtype().kind();
  if (kind != 'i' && kind != 'u') {
    throw InputError(name, fmt::format("its elements are {}; expected whole numbers",
                                       std::string(py::str(array.dtype()))));
  }
  if (!py::isinstance<py::array_t<T>>(array) && array.size() > 0) {
    const py::object largest = array.attr("max")();
    if (largest.attr("__gt__")(py::int_(std::numeric_limits<T>::max())).cast<bool>()) {
      throw InputError(name, fmt::format("{} is too large", std::string(py::str(largest))));
    }
  }
  return py::array_t<T, py::array::c_style | py::array::forcecast>(array);
}

// A copy that no other thread can write to, with the same bits.
template <class Element, class T>
std::vector<Element> Copied(const py::array_t<T>& array) {
  static_assert(sizeof(Element) == sizeof(T));
  std::vector<Element> copy(static_cast<std::size_t>(array.size()));
  if (!copy.empty()) std::memcpy(copy.data(), array.data(), copy.size() * sizeof(T));
  return copy;
}

template <class T>
py::array_t<T> ReadOnly(py::array_t<T> array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

void CheckOffsets(const std::vector<std::int64_t>& offsets, std::size_t num_symbols) {
  if (offsets.empty()) throw InputError("offsets", "is empty; n strings have n + 1");
  if (offsets.front() >= 0 && std::is_sorted(offsets.begin(), offsets.end()) &&
      offsets.back() <= static_cast<std::int64_t>(num_symbols)) {
    return;
  }
  throw InputError("offsets", fmt::format("expected {} numbers from 0 to {} that do not decrease",
                                          offsets.size(), num_symbols));
}

void CheckSymbols(const Alphabet& alphabet, StringView symbols) {
  // Negative numbers are too large as unsigned ones.
  const auto largest = std::max_element(symbols.begin(), symbols.end());
  if (largest == symbols.end() || Index(*largest) < alphabet.size()) return;
  throw InputError("values", fmt::format("{} is not a symbol; expected 0 to {}",
                                         static_cast<std::int32_t>(*largest),
                                         static_cast<std::int64_t>(alphabet.size()) - 1));
}

void AppendTokens(const Alphabet& alphabet, const py::handle& item, std::size_t i, String& values) {
  const auto where = [&] { return fmt::format("string {}", i); };
  if (py::isinstance<py::str>(item)) {
    const String w = alphabet.Parse(TextOf(item, where), where);
    values.insert(values.end(), w.begin(), w.end());
    return;
  }
  if (!py::isinstance<py::sequence>(item) || py::isinstance<py::bytes>(item)) {
    throw py::type_error(where() +
                         ": expected a list of tokens, or a str with spaces between them");
  }
  // Objects, not handles: an array makes its items as they are read, and nobody else holds them.
  for (const py::object token : item.cast<py::sequence>()) {
    if (!py::isinstance<py::str>(token)) throw py::type_error(where() + ": expected tokens as str");
    const std::string name = TextOf(token, where);
    const auto symbol = alphabet.Find(name);
    if (!symbol) throw InputError(where(), fmt::format("unknown token {}", Quoted(name)));
    values.push_back(*symbol);
  }
}

std::size_t IndexIn(const Strings& strings, std::int64_t i) {
  const auto size = static_cast<std::int64_t>(strings.size());
  if (i < -size || i >= size) throw py::index_error(fmt::format("{} of {} strings", i, size));
  return static_cast<std::size_t>(i < 0 ? i + size : i);
}

py::list TokensOf(const Strings& strings, std::int64_t i) {
  py::list tokens;
  for (const Symbol a : strings.At(IndexIn(strings, i))) {
    tokens.append(strings.alphabet()->Name(a));
  }
  return tokens;
}

// A slice shares the symbols of the whole.
Strings SliceOf(const Strings& strings, const py::slice& slice) {
  std::size_t start = 0, stop = 0, step = 0, length = 0;
  if (!slice.compute(strings.size(), &start, &stop, &step, &length)) throw py::error_already_set();
  if (step != 1) throw InputError("slice", "its step is not 1");
  return strings.Slice(start, start + length);
}

// The strings of some indices, or those where a mask is true.
Strings Gather(const Strings& strings, const py::array& which) {
  py::array chosen = which;
  if (which.dtype().kind() == 'b') {
    if (which.ndim() != 1 || static_cast<std::size_t>(which.size()) != strings.size()) {
      throw InputError("mask",
                       fmt::format("has {} elements for {} strings", which.size(), strings.size()));
    }
    chosen = py::array(py::module_::import("numpy").attr("flatnonzero")(which));
  }
  const auto indices = Whole<std::int64_t>("index", chosen);
  String values;
  std::vector<std::int64_t> offsets = {0};
  for (py::ssize_t k = 0; k < indices.size(); ++k) {
    const StringView w = strings.At(IndexIn(strings, indices.at(k)));
    values.insert(values.end(), w.begin(), w.end());
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return {strings.alphabet(), std::move(values), std::move(offsets)};
}

py::array_t<std::int32_t> Padded(const Strings& strings, std::int32_t value) {
  const StringsView view = strings.View();
  std::size_t longest = 0;
  for (std::size_t i = 0; i < view.size(); ++i) longest = std::max(longest, view[i].size());
  py::array_t<std::int32_t> padded({view.size(), longest});
  std::int32_t* row = padded.mutable_data();
  for (std::size_t i = 0; i < view.size(); ++i, row += longest) {
    std::int32_t* end = std::transform(view[i].begin(), view[i].end(), row,
                                       [](Symbol a) { return static_cast<std::int32_t>(a); });
    std::fill(end, row + longest, value);
  }
  return padded;
}

bool Equal(const Strings& a, const Strings& b) {
  if (!(*a.alphabet() == *b.alphabet()) || a.size() != b.size()) return false;
  const StringsView left = a.View(), right = b.View();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::equal(left[i].begin(), left[i].end(), right[i].begin(), right[i].end())) return false;
  }
  return true;
}

AlphabetPointer MakeAlphabet(const std::vector<std::string>& names) {
  const auto alphabet = std::make_shared<const Alphabet>(names);
  if (alphabet->names() != names) {
    throw InputError(
        "alphabet", fmt::format("{} is not sorted, or names a symbol twice", fmt::join(names, " ")),
        fmt::format("expected {}", fmt::join(alphabet->names(), " ")));
  }
  return alphabet;
}

}  // namespace

std::string SurrogateIn(const py::handle& text) {
  for (Py_ssize_t i = 0; i < PyUnicode_GetLength(text.ptr()); ++i) {
    const Py_UCS4 character = PyUnicode_ReadChar(text.ptr(), i);
    if (character < 0xD800 || character > 0xDFFF) continue;
    return fmt::format("position {}: U+{:04X} is a lone surrogate, which is not a character", i,
                       character);
  }
  return "is not text";
}

Strings::Strings(AlphabetPointer alphabet, py::array_t<std::int32_t> values,
                 py::array_t<std::int64_t> offsets)
    : alphabet_(std::move(alphabet)), values_(std::move(values)), offsets_(std::move(offsets)) {}

Strings::Strings(AlphabetPointer alphabet, String values, std::vector<std::int64_t> offsets)
    : Strings(std::move(alphabet), ReadOnly(ArrayOf<std::int32_t>(std::move(values))),
              ReadOnly(ArrayOf<std::int64_t>(std::move(offsets)))) {}

Strings Strings::FromArrays(AlphabetPointer alphabet, const py::array& values,
                            const py::array& offsets) {
  String symbols = Copied<Symbol>(Whole<std::int32_t>("values", values));
  std::vector<std::int64_t> begins = Copied<std::int64_t>(Whole<std::int64_t>("offsets", offsets));
  CheckOffsets(begins, symbols.size());
  CheckSymbols(*alphabet, StringView(symbols).subspan(
                              static_cast<std::size_t>(begins.front()),
                              static_cast<std::size_t>(begins.back() - begins.front())));
  return {std::move(alphabet), std::move(symbols), std::move(begins)};
}

Strings Strings::Slice(std::size_t begin, std::size_t end) const {
  const py::slice which(static_cast<py::ssize_t>(begin), static_cast<py::ssize_t>(end + 1), 1);
  return {alphabet_, values_, py::array_t<std::int64_t>(offsets_[which])};
}

Strings Strings::FromSequence(AlphabetPointer alphabet, const py::handle& items) {
  if (!py::isinstance<py::sequence>(items) || py::isinstance<py::str>(items) ||
      py::isinstance<py::bytes>(items)) {
    throw py::type_error("expected Strings, or a list of strings");
  }
  String values;
  std::vector<std::int64_t> offsets = {0};
  for (const py::object item : items.cast<py::sequence>()) {
    AppendTokens(*alphabet, item, offsets.size() - 1, values);
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return {std::move(alphabet), std::move(values), std::move(offsets)};
}

Strings Strings::From(const AlphabetPointer& alphabet, const py::handle& given) {
  if (!py::isinstance<Strings>(given)) return FromSequence(alphabet, given);
  const auto& strings = given.cast<const Strings&>();
  if (strings.alphabet_ != alphabet && !(*strings.alphabet_ == *alphabet)) {
    throw InputError("strings", fmt::format("their alphabet is {}; expected {}",
                                            fmt::join(strings.alphabet_->names(), " "),
                                            fmt::join(alphabet->names(), " ")));
  }
  return strings;
}

void BindStrings(py::module_& module) {
  py::class_<Strings>(module, "Strings", R"(Strings over an alphabet, as two arrays.

String i is values[offsets[i]:offsets[i+1]]. Both arrays are read-only.

>>> strings = fl.Strings.of(["a b", "b"], alphabet=["a", "b"])
>>> strings.values.tolist(), strings.offsets.tolist()
([0, 1, 1], [0, 2, 3])
>>> strings[0], strings[strings.lengths == 1][0]
(['a', 'b'], ['b'])
>>> strings.padded()
array([[ 0,  1],
       [ 1, -1]], dtype=int32)
)")
      .def(py::init([](const py::array& values, const py::array& offsets,
                       const std::vector<std::string>& alphabet) {
             return Strings::FromArrays(MakeAlphabet(alphabet), values, offsets);
           }),
           py::arg("values"), py::arg("offsets"), py::arg("alphabet"))
      .def_static(
          "of",
          [](const py::object& strings, const std::vector<std::string>& alphabet) {
            return Strings::FromSequence(MakeAlphabet(alphabet), strings);
          },
          py::arg("strings"), py::arg("alphabet"),
          R"(From lists of tokens, or texts with spaces between tokens.

>>> list(fl.Strings.of([["a"], "a b", ""], alphabet=["a", "b"]))
[['a'], ['a', 'b'], []]
)")
      .def_property_readonly("values", &Strings::values,
                             "int32: the symbols of all strings, by index in the alphabet.")
      .def_property_readonly("offsets", &Strings::offsets,
                             "int64: string i is values[offsets[i]:offsets[i+1]].")
      .def_property_readonly(
          "alphabet", [](const Strings& s) { return py::tuple(py::cast(s.alphabet()->names())); },
          "The symbols, in the order of their numbers.")
      .def_property_readonly(
          "lengths",
          [](const Strings& s) { return py::module_::import("numpy").attr("diff")(s.offsets()); },
          "int64: the number of symbols of each string.")
      .def("padded", &Padded, py::arg("value") = -1,
           R"(int32, a row per string, filled up with `value`.

>>> fl.Strings.of(["a b", ""], alphabet=["a", "b"]).padded(0).tolist()
[[0, 1], [0, 0]]
)")
      .def("__len__", &Strings::size)
      .def("__iter__",
           [](const py::object& self) {
             return py::reinterpret_steal<py::iterator>(PySeqIter_New(self.ptr()));
           })
      .def("__getitem__", &TokensOf, py::arg("index"))
      .def("__getitem__", &SliceOf, py::arg("index"))
      .def("__getitem__", &Gather, py::arg("index"))
      .def("__eq__", &Equal, py::is_operator())
      .def("__repr__",
           [](const Strings& s) {
             return fmt::format("<{} strings over {}>", s.size(),
                                fmt::join(s.alphabet()->names(), " "));
           })
      .def(py::pickle(
          [](const Strings& s) {
            return py::make_tuple(s.alphabet()->names(), s.values(), s.offsets());
          },
          [](const py::tuple& state) {
            return Strings::FromArrays(
                std::make_shared<const Alphabet>(state[0].cast<std::vector<std::string>>()),
                state[1].cast<py::array>(), state[2].cast<py::array>());
          }));
  RefuseUninitialized<Strings>();
}

}  // namespace flare::python
