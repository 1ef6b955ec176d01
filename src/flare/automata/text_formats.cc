#include "flare/automata/text_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {
namespace {

constexpr std::string_view kEpsilons[] = {"<eps>", "<EPS>", "@0@"};

bool IsEpsilonName(std::string_view name) {
  return std::find(std::begin(kEpsilons), std::end(kEpsilons), name) != std::end(kEpsilons);
}

std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  std::size_t begin = 0;
  while ((begin = line.find_first_not_of("\t ", begin)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of("\t ", begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return fields;
}

// One line with its number, split into fields.
struct Row {
  std::size_t line;
  std::vector<std::string_view> fields;
};

std::vector<Row> Rows(std::string_view text, const std::string& file) {
  // OpenFst's binary files begin with its magic number, little-endian.
  if (text.starts_with("\xd6\xfd\xb2\x7e")) {
    throw InputError(file, "is an OpenFst binary file, expected AT&T text",
                     "fstprint writes it as text");
  }
  std::vector<Row> rows;
  std::size_t number = 0;
  for (const std::string_view line : Lines(text)) {
    ++number;
    auto fields = Fields(line);
    if (!fields.empty()) rows.push_back({number, std::move(fields)});
  }
  return rows;
}

class Reader {
 public:
  Reader(const std::string& file, const AttOptions& options) : file_(file), options_(options) {}

  Dfa Read(std::string_view text) {
    const std::vector<Row> rows = Rows(text, file_);
    if (rows.empty()) throw InputError(file_, "no states: an automaton has at least one line");
    const auto three = std::find_if(rows.begin(), rows.end(),
                                    [](const Row& row) { return row.fields.size() == 3; });
    acceptor_ = options_.acceptor || three != rows.end();
    if (acceptor_ && !options_.acceptor) {
      why_acceptor_ = fmt::format(
          "line {} has three fields, so this is an acceptor: a fourth field is a weight",
          three->line);
    }
    labels_are_numbers_ = LabelsAreNumbers(rows);

    Nfa nfa(ReadAlphabet(rows));
    if (nfa.alphabet.size() == 0) {
      throw InputError(file_, "the automaton has no symbols", "name them with --alphabet");
    }
    for (const Row& row : rows) ReadRow(row, nfa);
    nfa.start = StateAt(0);  // the first state that was mentioned
    Effort effort(file_);
    return Minimize(Determinize(nfa, effort));
  }

 private:
  [[noreturn]] void Fail(const Row& row, const std::string& what, std::string hint = "") const {
    throw InputError(FileLine(file_, row.line), what, std::move(hint));
  }

  static bool IsTransition(const Row& row) { return row.fields.size() >= 3; }

  // The one label of a transition, after checking how many fields there are and that both agree.
  std::string_view Label(const Row& row) const {
    const auto& f = row.fields;
    if (f.size() > (acceptor_ ? 4 : 5)) {
      Fail(row, fmt::format("{} fields; expected 1 or 2 for a final state, {} for a transition",
                            f.size(), acceptor_ ? "3 or 4" : "4 or 5"));
    }
    if (!acceptor_ && f[2] != f[3]) {
      Fail(row,
           fmt::format("input label {} and output label {} differ: a transducer is not a language",
                       Quoted(f[2]), Quoted(f[3])),
           "if the last field is a weight, use --att-acceptor");
    }
    return f[2];
  }

  // If there is a symbol table, a file holds names or numbers, but not both.
  bool LabelsAreNumbers(const std::vector<Row>& rows) const {
    if (!options_.symbols) return false;
    const SymbolTable& table = *options_.symbols;
    const auto is_name = [&](std::string_view label) {
      return IsEpsilonName(label) || label == "0" ||
             table.number_of.find(label) != table.number_of.end();
    };
    const auto is_number = [&](std::string_view label) {
      const auto number = ParseNumber<std::uint64_t>(label);
      return IsEpsilonName(label) ||
             (number && (*number == 0 || table.name_of.find(*number) != table.name_of.end()));
    };
    const Row* not_name = nullptr;
    const Row* not_number = nullptr;
    for (const Row& row : rows) {
      if (!IsTransition(row)) continue;
      const std::string_view label = Label(row);
      if (not_name == nullptr && !is_name(label)) not_name = &row;
      if (not_number == nullptr && !is_number(label)) not_number = &row;
    }
    if (not_name == nullptr) return false;
    if (not_number == nullptr) return true;
    Fail(*not_name, fmt::format("label {} is not in the symbol table", Quoted(Label(*not_name))));
  }

  // The symbol's name, or nothing for ε.
  std::optional<std::string> SymbolName(std::string_view label) const {
    if (IsEpsilonName(label)) return std::nullopt;
    if (!options_.symbols) return std::string(label);
    const SymbolTable& table = *options_.symbols;
    const auto named = table.number_of.find(label);
    // Among names, a 0 that the table does not name is the number 0.
    const std::uint64_t number = labels_are_numbers_ || named == table.number_of.end()
                                     ? *ParseNumber<std::uint64_t>(label)
                                     : named->second;
    if (number == 0) return std::nullopt;
    const std::string& name = table.name_of.at(number);
    if (IsEpsilonName(name)) return std::nullopt;
    return name;
  }

  Alphabet ReadAlphabet(const std::vector<Row>& rows) const {
    std::vector<std::string> names = options_.extra_symbols;
    if (options_.symbols) {
      for (const auto& [number, name] : options_.symbols->name_of) {
        if (number != 0 && !IsEpsilonName(name)) names.push_back(name);
      }
    } else {
      for (const Row& row : rows) {
        if (!IsTransition(row)) continue;
        if (auto name = SymbolName(Label(row))) {
          CheckSymbolName(*name, FileLine(file_, row.line));
          names.push_back(std::move(*name));
        }
      }
    }
    return Alphabet(std::move(names));
  }

  StateId State(const Row& row, std::size_t field, Nfa& nfa) {
    const auto number = ParseNumber<std::uint64_t>(row.fields[field]);
    if (!number) {
      Fail(row, fmt::format("state {} is not a number", Quoted(row.fields[field])));
    }
    const auto [entry, is_new] = states_.try_emplace(*number);
    if (is_new) entry->second = nfa.AddState(false);
    return entry->second;
  }

  // True if there is a weight and it says that what carries it is absent.
  bool IsAbsent(const Row& row, std::size_t field) const {
    if (row.fields.size() <= field) return false;
    const std::string_view text = row.fields[field];
    // OpenFst reads weights as C floats, which overflow to Infinity.
    const std::string copy(text);
    char* end = nullptr;
    const float weight = std::strtof(copy.c_str(), &end);
    if (end != copy.c_str() + copy.size() || std::isnan(weight) || weight == -INFINITY) {
      Fail(row, fmt::format("weight {} is neither a number nor Infinity", Quoted(text)),
           row.fields.size() == 4 ? why_acceptor_ : "");
    }
    return weight == INFINITY;
  }

  void ReadRow(const Row& row, Nfa& nfa) {
    const StateId source = State(row, 0, nfa);
    if (!IsTransition(row)) {
      nfa.at(source).accept_weight = !IsAbsent(row, 1);
      return;
    }
    const StateId target = State(row, 1, nfa);
    const auto name = SymbolName(Label(row));
    if (IsAbsent(row, acceptor_ ? 3 : 4)) return;
    std::optional<Symbol> symbol;
    if (name) symbol = nfa.alphabet.At(*name);
    nfa.AddTransition(source, symbol, true, target);
  }

  const std::string& file_;
  const AttOptions& options_;
  bool acceptor_ = false;
  std::string why_acceptor_;  // names what in the file made it one
  bool labels_are_numbers_ = false;
  std::map<std::uint64_t, StateId> states_;
};

}  // namespace

Dfa ParseAtt(std::string_view text, const std::string& file, const AttOptions& options) {
  return Reader(file, options).Read(text);
}

SymbolTable ParseSymbolTable(std::string_view text, const std::string& file) {
  SymbolTable table;
  for (const Row& row : Rows(text, file)) {
    const std::string where = FileLine(file, row.line);
    if (row.fields.size() != 2) {
      throw InputError(
          where, fmt::format("{} fields, expected a symbol and its number", row.fields.size()));
    }
    const std::string name(row.fields[0]);
    CheckSymbolName(name, where);
    const auto number = ParseNumber<std::uint64_t>(row.fields[1]);
    if (!number) {
      throw InputError(where, fmt::format("{} is not a number from 0", Quoted(row.fields[1])));
    }
    if (!table.number_of.emplace(name, *number).second) {
      throw InputError(where, fmt::format("symbol {} is listed twice", Quoted(name)));
    }
    if (!table.name_of.emplace(*number, name).second) {
      throw InputError(
          where, fmt::format("number {} is already {}", *number, Quoted(table.name_of[*number])));
    }
  }
  return table;
}

std::string FormatAtt(const Dfa& dfa) {
  for (const std::string& name : dfa.alphabet().names()) {
    if (IsEpsilonName(name)) {
      throw InputError("", fmt::format("symbol {} cannot be written as AT&T text: it means ε there",
                                       Quoted(name)));
    }
  }
  // The start state comes first, because that is what makes it the start state.
  std::vector<StateId> order{dfa.start()};
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    if (StateAt(q) != dfa.start()) order.push_back(StateAt(q));
  }
  std::string text;
  for (const StateId q : order) {
    for (const auto& [a, r] : dfa.TransitionsFrom(q)) {
      const std::string& name = dfa.alphabet().Name(a);
      text += fmt::format("{}\t{}\t{}\t{}\n", Index(q), Index(r), name, name);
    }
    if (dfa.IsAccepting(q)) text += fmt::format("{}\n", Index(q));
  }
  return text;
}

std::string FormatSymbolTable(const Alphabet& alphabet) {
  std::string text = "<eps>\t0\n";
  for (std::size_t a = 0; a < alphabet.size(); ++a) {
    text += fmt::format("{}\t{}\n", alphabet.Name(SymbolAt(a)), a + 1);
  }
  return text;
}

Json DfaToJson(const Dfa& dfa) {
  auto accepting = Json::array();
  auto transitions = Json::array();
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    if (dfa.IsAccepting(StateAt(q))) accepting.push_back(q);
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      transitions.push_back({{"from", q}, {"symbol", dfa.alphabet().Name(a)}, {"to", Index(r)}});
    }
  }
  return {{"states", dfa.num_states()},
          {"start", Index(dfa.start())},
          {"accepting", accepting},
          {"transitions", transitions}};
}

Dfa DfaFromJson(const Json& json, const Alphabet& alphabet, const std::string& where) {
  try {
    const auto num_states = Whole<std::size_t>(json.at("states"));
    // A useful state is the start or the target of a transition: a text that claims more states
    // does not have them.
    if (num_states == 0 || num_states > json.at("transitions").size() + 1) {
      throw InputError(where, fmt::format("automaton: {} states and {} transitions", num_states,
                                          json.at("transitions").size()));
    }
    const auto state = [&](const Json& number) {
      const auto q = Whole<std::size_t>(number);
      if (q >= num_states) throw InputError(where, fmt::format("automaton: no state {}", q));
      return StateAt(q);
    };
    std::vector<bool> accepting(num_states, false);
    for (const auto& q : json.at("accepting")) accepting[Index(state(q))] = true;
    DfaBuilder builder(alphabet);
    for (const bool accepts : accepting) builder.AddState(accepts);
    std::set<std::pair<StateId, Symbol>> seen;
    for (const auto& t : json.at("transitions")) {
      const auto name = t.at("symbol").get<std::string>();
      const auto symbol = alphabet.Find(name);
      if (!symbol) {
        throw InputError(where, fmt::format("automaton: unknown symbol {}", Quoted(name)));
      }
      const StateId from = state(t.at("from"));
      if (!seen.emplace(from, *symbol).second) {
        throw InputError(where, fmt::format("automaton: state {} has two transitions on {}",
                                            Index(from), Quoted(name)));
      }
      builder.AddTransition(from, *symbol, state(t.at("to")));
    }
    return std::move(builder).Build(state(json.at("start")));
  } catch (const Json::exception& error) {
    throw InputError(where, fmt::format("automaton: {}", error.what()));
  }
}

namespace {

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
    // Graphviz reads &lt; as <.
    if (c == '&') out += "amp;";
  }
  return out;
}

}  // namespace

std::string FormatDot(const Dfa& dfa, const std::string& title) {
  std::string dot = fmt::format("digraph \"{}\" {{\n", Escaped(title));
  dot += "  rankdir=LR;\n  node [shape=circle];\n  start [shape=point];\n";
  dot += fmt::format("  start -> {};\n", Index(dfa.start()));
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    const char* shape = dfa.IsAccepting(StateAt(q)) ? " [shape=doublecircle]" : "";
    dot += fmt::format("  {}{};\n", q, shape);
  }
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    std::map<StateId, std::string> labels;
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      std::string& label = labels[r];
      if (!label.empty()) label += ", ";
      label += Escaped(dfa.alphabet().Name(a));
    }
    for (const auto& [r, label] : labels) {
      dot += fmt::format("  {} -> {} [label=\"{}\"];\n", q, Index(r), label);
    }
  }
  return dot + "}\n";
}

}  // namespace flare
