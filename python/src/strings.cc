#include "strings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
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

void AppendTokens(const Alphabet& alphabet, const py::handle& item, std::size_t i, String& values) {
  const auto where = [&] { return fmt::format("string {}", i); };
  if (py::isinstance<py::str>(item)) {
    const String w = alphabet.Parse(item.cast<std::string>(), where);
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
    const auto name = token.cast<std::string>();
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
  const py::slice offsets(static_cast<py::ssize_t>(start),
                          static_cast<py::ssize_t>(start + length + 1), 1);
  return {strings.alphabet(), strings.values(), py::array(strings.offsets()[offsets])};
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

Strings::Strings(AlphabetPointer alphabet, py::array values, py::array offsets)
    : alphabet_(std::move(alphabet)),
      values_(Whole<std::int32_t>("values", values)),
      offsets_(Whole<std::int64_t>("offsets", offsets)) {
  View();
}

Strings::Strings(AlphabetPointer alphabet, String values, std::vector<std::int64_t> offsets)
    : alphabet_(std::move(alphabet)),
      values_(ArrayOf<std::int32_t>(std::move(values))),
      offsets_(ArrayOf<std::int64_t>(std::move(offsets))) {}

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

void Strings::CheckSymbols(std::int64_t begin, std::int64_t end) const {
  // The largest as unsigned: negative numbers are too large as well.
  std::uint32_t largest = 0;
  const auto* values = reinterpret_cast<const std::uint32_t*>(values_.data());
  for (std::int64_t i = begin; i < end; ++i) largest = std::max(largest, values[i]);
  if (begin < end && largest >= alphabet_->size()) {
    throw InputError("values", fmt::format("{} is not a symbol; expected 0 to {}",
                                           static_cast<std::int32_t>(largest),
                                           static_cast<std::int64_t>(alphabet_->size()) - 1));
  }
}

StringView Strings::At(std::size_t i) const {
  const std::int64_t begin = offsets_.data()[i], end = offsets_.data()[i + 1];
  if (begin < 0 || begin > end || end > values_.size()) {
    throw InputError("offsets", fmt::format("string {} is from {} to {} of {} symbols", i, begin,
                                            end, values_.size()));
  }
  CheckSymbols(begin, end);
  return StringsView(reinterpret_cast<const Symbol*>(values_.data()), offsets_.data(), size())[i];
}

StringsView Strings::View() const {
  if (offsets_.size() == 0) throw InputError("offsets", "is empty; n strings have n + 1");
  const std::int64_t* offsets = offsets_.data();
  const std::int64_t* end = offsets + offsets_.size();
  const std::int64_t* out_of_order = std::adjacent_find(offsets, end, std::greater<>());
  if (offsets[0] < 0 || out_of_order != end || end[-1] > values_.size()) {
    throw InputError("offsets", fmt::format("expected {} numbers from 0 to {} that do not decrease",
                                            offsets_.size(), values_.size()));
  }
  CheckSymbols(offsets[0], end[-1]);
  return {reinterpret_cast<const Symbol*>(values_.data()), offsets, size()};
}

void BindStrings(py::module_& module) {
  py::class_<Strings>(module, "Strings", "Strings over an alphabet, as two arrays.")
      .def(py::init([](const py::array& values, const py::array& offsets,
                       const std::vector<std::string>& alphabet) {
             return Strings(MakeAlphabet(alphabet), values, offsets);
           }),
           py::arg("values"), py::arg("offsets"), py::arg("alphabet"))
      .def_static(
          "of",
          [](const py::object& strings, const std::vector<std::string>& alphabet) {
            return Strings::FromSequence(MakeAlphabet(alphabet), strings);
          },
          py::arg("strings"), py::arg("alphabet"),
          "From lists of tokens, or texts with spaces between tokens.")
      .def_property_readonly("values", &Strings::values,
                             "int32: the symbols of all strings, by index in the alphabet.")
      .def_property_readonly("offsets", &Strings::offsets,
                             "int64: string i is values[offsets[i]:offsets[i+1]].")
      .def_property_readonly(
          "alphabet", [](const Strings& s) { return py::tuple(py::cast(s.alphabet()->names())); })
      .def_property_readonly(
          "lengths",
          [](const Strings& s) { return py::module_::import("numpy").attr("diff")(s.offsets()); })
      .def("padded", &Padded, py::arg("value") = -1,
           "int32, a row per string, filled up with `value`.")
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
            return Strings(
                std::make_shared<const Alphabet>(state[0].cast<std::vector<std::string>>()),
                state[1].cast<py::array>(), state[2].cast<py::array>());
          }));
}

}  // namespace flare::python
