#include "flare/report/latex.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/base/text.h"
#include "flare/report/table_formats.h"

namespace flare::report {
namespace {

// LaTeX's commands for the characters of our own texts and of common names: a character, its
// command, and so on.
constexpr const char* kMathematics =
    "− - ± \\pm × \\times ÷ \\div · \\cdot … \\ldots ′ ' ∞ \\infty √ \\surd ≤ \\leq ≥ \\geq "
    "≠ \\neq ≡ \\equiv ≈ \\approx ∈ \\in ∉ \\notin ∪ \\cup ∩ \\cap ⊆ \\subseteq ⊂ \\subset "
    "∅ \\emptyset ∧ \\wedge ∨ \\vee ¬ \\neg ∀ \\forall ∃ \\exists ∘ \\circ ⊕ \\oplus "
    "↑ \\uparrow ↓ \\downarrow → \\rightarrow ← \\leftarrow ↦ \\mapsto ⇒ \\Rightarrow "
    "⌊ \\lfloor ⌋ \\rfloor ⌈ \\lceil ⌉ \\rceil ⟨ \\langle ⟩ \\rangle ● \\bullet ○ \\circ "
    "△ \\triangle ½ \\frac12 ε \\varepsilon α \\alpha β \\beta γ \\gamma δ \\delta ζ \\zeta "
    "η \\eta θ \\theta κ \\kappa λ \\lambda μ \\mu ν \\nu ξ \\xi π \\pi ρ \\rho σ \\sigma "
    "τ \\tau φ \\varphi χ \\chi ψ \\psi ω \\omega Γ \\Gamma Δ \\Delta Θ \\Theta Λ \\Lambda "
    "Π \\Pi Σ \\Sigma Φ \\Phi Ψ \\Psi Ω \\Omega † \\dagger ⁰ ^0 ¹ ^1 ² ^2 ³ ^3 ⁴ ^4 ⁵ ^5 "
    "⁶ ^6 ⁷ ^7 ⁸ ^8 ⁹ ^9 ⁺ ^+ ⁻ ^- ⁿ ^n ⁱ ^i ᵐ ^m ᵏ ^k ᴿ ^R ᵣ _r ₀ _0 ₁ _1 ₂ _2 ₃ _3 ₄ _4 "
    "ₖ _k ₙ _n ᵢ _i ⱼ _j ";

std::string_view OfMathematics(std::string_view character) {
  static const auto commands = [] {
    std::map<std::string, std::string, std::less<>> all;
    std::istringstream words(kMathematics);
    for (std::string sign, command; words >> sign >> command;) all[sign] = command;
    return all;
  }();
  const auto found = commands.find(character);
  return found == commands.end() ? std::string_view() : found->second;
}

std::string_view OfText(std::string_view character) {
  static const std::map<std::string_view, std::string_view> commands = {
      {"\\", "\\textbackslash{}"},
      {"~", "\\textasciitilde{}"},
      {"^", "\\textasciicircum{}"},
      {"<", "\\textless{}"},
      {">", "\\textgreater{}"},
      {"|", "\\textbar{}"},
      {"\"", "\\textquotedbl{}"},
      {"&", "\\&"},
      {"%", "\\%"},
      {"$", "\\$"},
      {"#", "\\#"},
      {"_", "\\_"},
      {"{", "\\{"},
      {"}", "\\}"},
      {"–", "--"},
      {"—", "---"},
      {"“", "``"},
      {"”", "''"},
      {"‘", "`"},
      {"’", "'"},
      {"\t", " "},
      {"\n", " "},
      {"\r", " "},
      {"\xc2\xa0", "~"}};
  const auto found = commands.find(character);
  return found == commands.end() ? "" : found->second;
}

// The letters of Latin-1 that LaTeX's oldest fonts can put together.
bool IsKnownLetter(char32_t c) {
  return c >= 0xC0 && c <= 0xFF && c != 0xD0 && c != 0xD7 && c != 0xDE && c != 0xF0 && c != 0xF7 &&
         c != 0xFE;
}

std::string LatexCharacter(std::string_view character) {
  if (const std::string_view text = OfText(character); !text.empty()) return std::string(text);
  if (const std::string_view sign = OfMathematics(character); !sign.empty()) {
    return fmt::format("\\ensuremath{{{}}}", sign);
  }
  const char32_t code = CodePoint(character);
  if (code < 0x20 || code == 0x7F) return "";
  if (code < 0x7F || IsKnownLetter(code)) return std::string(character);
  return fmt::format("\\ifdefined\\Umathcode {}\\else\\texttt{{U+{:04X}}}\\fi{{}}", character,
                     static_cast<std::uint32_t>(code));
}

// The characters of a text; bytes that are none are U+FFFD.
std::vector<std::string_view> Characters(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t i = 0; i < text.size(); i += all.back().size()) {
    const auto character = Utf8CharacterAt(text, i);
    all.push_back(character ? *character : text.substr(i, 1));
  }
  return all;
}

bool IsCharacter(std::string_view text) { return Utf8CharacterAt(text, 0).has_value(); }

// Widths of ASCII characters, from the space on, in Computer Modern Roman, in hundredths of its
// size.
constexpr std::array<int, 95> kWidths = {
    33, 28, 50, 83, 50, 83, 78, 28,  39, 39, 50, 78, 28, 33, 28, 50, 50, 50, 50, 50, 50, 50, 50, 50,
    50, 50, 28, 28, 78, 78, 78, 47,  78, 75, 71, 72, 76, 68, 65, 78, 75, 36, 51, 78, 63, 92, 75, 78,
    68, 78, 74, 56, 72, 75, 75, 103, 75, 75, 61, 28, 50, 28, 50, 50, 28, 50, 56, 44, 56, 44, 31, 50,
    56, 28, 31, 53, 28, 83, 56, 50,  56, 53, 39, 40, 39, 53, 53, 72, 53, 53, 44, 50, 28, 50, 50};

// Small sizes have wider letters.
double Widened(double points) {
  return points <= 5 ? 1.36 : points <= 6 ? 1.22 : points <= 7 ? 1.14 : points <= 8 ? 1.06 : 1.03;
}

double WidthOf(std::string_view text, double points) {
  double hundredths = 0;
  for (const std::string_view character : Characters(text)) {
    const char32_t code = IsCharacter(character) ? CodePoint(character) : 0xFFFD;
    if (code >= 0x20 && code < 0x7F) {
      hundredths += kWidths[code - 0x20];
    } else if (!OfMathematics(character).empty() || IsKnownLetter(code)) {
      hundredths += 78;
    } else if (OfText(character).empty() && code >= 0x7F) {
      hundredths += 53.0 * 6;
    } else {
      hundredths += 100;
    }
  }
  return hundredths / 100 * points * Widened(points);
}

// A size of letters, by its command.
struct Size {
  const char* command;
  double points, script_points;  // of letters and of their exponents, where normal ones have 10
  double line;                   // from one line to the next
  double gap;                    // on each side of a column
};
constexpr std::array<Size, 3> kSizes = {
    {{"\\small", 9, 6, 11, 5}, {"\\footnotesize", 8, 6, 9.5, 4}, {"\\scriptsize", 7, 5, 8, 3}}};
constexpr double kTinyPoints = 5;
// The text of article.cls in its normal size: a table that fits it fits journals. Its lines are 345
// points long; five are left for errors of the estimated widths.
constexpr double kTextWidth = 340, kTextHeight = 530;

// The LaTeX text of a cell, and its approximate width.
struct Piece {
  std::string tex;
  double width = 0;

  void Add(const std::string& more, double points) {
    tex += more;
    width += points;
  }
};

// Long words may be broken where a reader would not mistake it.
std::string Breakable(const std::string& text) {
  std::string out;
  int since = 0;
  for (const std::string_view character : Characters(text)) {
    const std::string one(character);
    out += LatexEscaped(one);
    since = character == " " ? 0 : since + 1;
    const bool is_sign = since > 3 && std::string_view("-_/.,=+|)").find(one) != std::string::npos;
    if (is_sign || since > 10) {
      out += "\\allowbreak{}";
      since = 0;
    }
  }
  return out;
}

// Wide text is set in lines, together with what stands behind it.
Piece TextPiece(const std::string& text, const Piece& behind, const Size& size, double widest,
                bool bold) {
  const auto in_bold = [&](const std::string& tex) {
    return bold && !tex.empty() ? "\\textbf{" + tex + "}" : tex;
  };
  const double width = WidthOf(text, size.points) * (bold ? 1.16 : 1) + behind.width;
  if (width <= widest) return {in_bold(LatexEscaped(text)) + behind.tex, width};
  return {fmt::format("\\parbox[t]{{{:.0f}pt}}{{\\raggedright\\hspace{{0pt}}{}{}\\strut}}", widest,
                      in_bold(Breakable(text)), behind.tex),
          widest};
}

// "7/10, 1†" for 7 of 10 runs, one of them diverged.
Piece CoveragePiece(const Cell& cell, const Size& size) {
  std::string text = CoverageText(cell);
  const std::size_t at = text.find(" diverged");
  if (at != std::string::npos) text.replace(at, std::string::npos, "†");
  if (text.empty()) return {};
  return {"\\textsuperscript{" + LatexEscaped(text) + "}", WidthOf(text, size.script_points)};
}

Piece LatexCell(const Cell& cell, const Size& size, double widest) {
  std::string text;
  if (cell.kind == Cell::Kind::kText) text = cell.text;
  if (cell.kind == Cell::Kind::kNumber) text = FormatFixed(cell.value, cell.decimals);
  if (cell.interval) {
    text = fmt::format("{}–{} (n={})", FormatFixed(cell.interval->low, cell.decimals),
                       FormatFixed(cell.interval->high, cell.decimals), cell.interval->n);
    if (cell.kind == Cell::Kind::kNumber) {
      text = FormatFixed(cell.value, cell.decimals) + " " + text;
    }
  }
  Piece behind;
  if (cell.spread) {
    const std::string spread = "±" + FormatFixed(*cell.spread, cell.decimals);
    behind.Add("\\textsubscript{" + LatexEscaped(spread) + "}",
               WidthOf(spread, size.script_points));
  }
  const Piece coverage = CoveragePiece(cell, size);
  behind.Add(coverage.tex, coverage.width);
  std::string theirs = cell.published_text;
  if (cell.published) {
    theirs = FormatFixed(*cell.published, cell.decimals);
    if (cell.kind == Cell::Kind::kNumber && cell.judged) {
      static const char* const kMarks[] = {"↓", "", "↑"};
      theirs += kMarks[cell.ComparedWithPublished() + 1];
    }
  }
  if (!theirs.empty()) {
    const bool is_first = text.empty() && behind.tex.empty();
    behind.Add(fmt::format("{}{{\\tiny({})}}", is_first ? "" : " ", LatexEscaped(theirs)),
               WidthOf(" (" + theirs + ")", kTinyPoints));
  }
  return TextPiece(text, behind, size, cell.kind == Cell::Kind::kText ? widest : kTextHeight,
                   cell.bold);
}

// Breaks the title into lines if it would be wider than the cells below it.
Piece Head(const Column& column, const Size& size, double below) {
  const std::string& title = column.title;
  if (WidthOf(title, size.points) <= below) {
    return {LatexEscaped(title), WidthOf(title, size.points)};
  }
  std::vector<std::string> lines, words;
  std::string word;
  for (const char c : title + " ") {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  double widest = below;
  for (const std::string& one : words) widest = std::max(widest, WidthOf(one, size.points));
  for (const std::string& one : words) {
    if (!lines.empty() && WidthOf(lines.back() + " " + one, size.points) <= widest) {
      lines.back() += " " + one;
    } else {
      lines.push_back(one);
    }
  }
  double width = 0;
  for (std::string& line : lines) {
    width = std::max(width, WidthOf(line, size.points));
    line = LatexEscaped(line);
  }
  if (lines.size() < 2) return {LatexEscaped(title), width};
  return {fmt::format("\\shortstack{}{{{}}}", column.left ? "[l]" : "", fmt::join(lines, "\\\\")),
          width};
}

// A table in one size, with texts no wider than something: every cell, and how wide columns are.
struct Setting {
  const Table* table;
  const Size* size;
  std::vector<Piece> heads;
  std::vector<std::vector<Piece>> cells;  // by row
  std::vector<double> widths;             // by column, without gaps
  double height = 0;                      // of all rows, once

  Setting(const Table& of, const Size& in, double widest) : table(&of), size(&in) {
    widths.resize(of.columns.size());
    for (const Row& row : of.rows) {
      std::vector<Piece>& pieces = cells.emplace_back();
      double lines = 1;
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        pieces.push_back(LatexCell(row.cells[i], in, widest));
        widths[i] = std::max(widths[i], pieces.back().width);
        const double text =
            WidthOf(row.cells[i].text, in.points) + WidthOf(row.cells[i].published_text, 5);
        if (text > widest) lines = std::max(lines, std::ceil(1.2 * text / widest));
      }
      height += lines * in.line * 1.05 + (row.rule_above ? 5 : 0);
    }
    for (std::size_t i = 0; i < of.columns.size(); ++i) {
      heads.push_back(Head(of.columns[i], in, std::max(widths[i], 2.5 * in.points)));
      widths[i] = std::max(widths[i], heads[i].width);
    }
  }

  // Returns the width of columns side by side, with the gaps between them.
  double Width(const std::vector<std::size_t>& columns) const {
    double width = 0;
    for (std::size_t i = 0; i < columns.size();) {
      double group = 0;
      std::size_t end = i;
      for (; end < columns.size() &&
             table->columns[columns[end]].group == table->columns[columns[i]].group;
           ++end) {
        group += widths[columns[end]] + 2 * size->gap;
      }
      width +=
          std::max(group, WidthOf(table->columns[columns[i]].group, size->points) + 2 * size->gap);
      i = end;
    }
    return width - 2 * size->gap;
  }
};

// The columns that say what a row is about: texts at the beginning, but not all.
std::size_t KeyColumns(const Table& table) {
  std::size_t keys = 0;
  while (keys < table.columns.size() && table.columns[keys].left &&
         table.columns[keys].group.empty()) {
    ++keys;
  }
  if (keys < table.columns.size()) return std::max<std::size_t>(keys, 1);
  return 1;
}

// The columns in blocks that fit, the first columns in each.
std::vector<std::vector<std::size_t>> Blocks(const Setting& setting, double room) {
  const Table& table = *setting.table;
  std::vector<std::size_t> all, keys;
  for (std::size_t i = 0; i < table.columns.size(); ++i) all.push_back(i);
  if (setting.Width(all) <= room) return {all};
  keys.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(KeyColumns(table)));
  std::vector<std::vector<std::size_t>> blocks;
  std::vector<std::size_t> block = keys;
  const auto fits = [&](std::size_t begin, std::size_t end) {
    std::vector<std::size_t> with = block;
    with.insert(with.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
                all.begin() + static_cast<std::ptrdiff_t>(end));
    return setting.Width(with) <= room;
  };
  const auto take = [&](std::size_t begin, std::size_t end) {
    if (block.size() > keys.size() && !fits(begin, end))
      blocks.push_back(std::exchange(block, keys));
    for (std::size_t i = begin; i < end; ++i) block.push_back(i);
  };
  for (std::size_t begin = keys.size(); begin < all.size();) {
    std::size_t end = begin + 1;
    while (end < all.size() && table.columns[end].group == table.columns[begin].group) ++end;
    std::size_t parts = 1;
    const std::vector<std::size_t> before = std::exchange(block, keys);
    const auto all_fit = [&](std::size_t n) {
      for (std::size_t part = 0; part < n; ++part) {
        if (!fits(begin + (end - begin) * part / n, begin + (end - begin) * (part + 1) / n)) {
          return false;
        }
      }
      return true;
    };
    // A group that is too wide is cut into parts of about the same number of columns.
    while (parts < end - begin && !all_fit(parts)) ++parts;
    block = before;
    for (std::size_t part = 0; part < parts; ++part) {
      take(begin + (end - begin) * part / parts, begin + (end - begin) * (part + 1) / parts);
    }
    begin = end;
  }
  blocks.push_back(block);
  return blocks;
}

std::string HeadLines(const Setting& setting, const std::vector<std::size_t>& columns) {
  const Table& table = *setting.table;
  std::string groups, rules, titles;
  bool has_groups = false;
  for (std::size_t i = 0; i < columns.size();) {
    const std::string& group = table.columns[columns[i]].group;
    std::size_t end = i;
    while (end < columns.size() && table.columns[columns[end]].group == group) ++end;
    if (i > 0) groups += " & ";
    if (group.empty()) {
      for (std::size_t k = i + 1; k < end; ++k) groups += " & ";
    } else {
      has_groups = true;
      groups += fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", end - i, LatexEscaped(group));
      rules += fmt::format("\\cmidrule(lr){{{}-{}}}", i + 1, end);
    }
    i = end;
  }
  for (const std::size_t column : columns) {
    titles += (titles.empty() && column == columns[0] ? "" : " & ") + setting.heads[column].tex;
  }
  return (has_groups ? groups + " \\\\\n" + rules + "\n" : "") + titles + " \\\\\n\\midrule\n";
}

std::string Letters(const Setting& setting, const std::vector<std::size_t>& columns) {
  std::string letters = "@{}";
  for (const std::size_t column : columns)
    letters += setting.table->columns[column].left ? 'l' : 'c';
  return letters + "@{}";
}

std::string RowLines(const Setting& setting, const std::vector<std::size_t>& columns) {
  std::string text;
  for (std::size_t r = 0; r < setting.cells.size(); ++r) {
    if (setting.table->rows[r].rule_above && r > 0) text += "\\midrule\n";
    for (const std::size_t column : columns) {
      text += (column == columns[0] ? "" : " & ") + setting.cells[r][column].tex;
    }
    text += " \\\\\n";
  }
  return text;
}

// Sets the table as a float on one page, and shrinks it if the document's columns are too narrow.
std::string FloatOf(const Setting& setting, const std::vector<std::vector<std::size_t>>& blocks,
                    const std::string& caption, const std::string& notes,
                    const std::string& environment) {
  std::string text =
      fmt::format("\\begin{{{}}}\n\\centering\n{}\n{}\\setlength{{\\tabcolsep}}{{{}pt}}\n",
                  environment, caption, setting.size->command, setting.size->gap);
  for (const auto& block : blocks) {
    if (&block != &blocks.front()) text += "\n\\medskip\n";
    text += fmt::format(
        "\\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{%\n"
        "\\begin{{tabular}}{{{}}}\n\\toprule\n{}{}\\bottomrule\n\\end{{tabular}}}}\n",
        Letters(setting, block), HeadLines(setting, block), RowLines(setting, block));
  }
  if (!notes.empty()) text += "\n\\smallskip\n\\parbox{\\linewidth}{\\scriptsize " + notes + "}\n";
  return text + fmt::format("\\end{{{}}}\n", environment);
}

// Over as many pages as it takes, the head on each.
std::string LongOf(const Setting& setting, const std::vector<std::vector<std::size_t>>& blocks,
                   const std::string& caption, const std::string& label, const std::string& notes) {
  std::string text = fmt::format(
      "\\begingroup\n{}\\setlength{{\\tabcolsep}}{{{}pt}}\n"
      "\\setlength{{\\LTcapwidth}}{{\\linewidth}}\n",
      setting.size->command, setting.size->gap);
  for (const auto& block : blocks) {
    const std::string head = "\\toprule\n" + HeadLines(setting, block);
    const std::string further = fmt::format("\\caption*{{Table~\\ref{{tab:{}}}, {}}}", label,
                                            blocks.size() > 1 ? "further columns" : "continued");
    // All blocks are one table.
    if (&block != &blocks.front()) text += "\\addtocounter{table}{-1}\n";
    text += fmt::format(
        "\\begin{{longtable}}{{{}}}\n{} \\\\\n{}\\endfirsthead\n{}\\endhead\n"
        "\\bottomrule\n\\endlastfoot\n{}\\end{{longtable}}\n",
        Letters(setting, block), &block == &blocks.front() ? caption : further, head, head,
        RowLines(setting, block));
  }
  if (!notes.empty()) text += "{\\scriptsize\\noindent " + notes + "\\par}\n";
  return text + "\\endgroup\n";
}

// Letters, digits, dashes and slashes: what a label may have.
std::string LabelOf(const std::string& name) {
  std::string label;
  for (const char c : name) {
    label += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' ? c : '-';
  }
  return label;
}

double HeightOf(const Setting& setting, std::size_t blocks, const std::string& words, double room) {
  constexpr double kOfWords = 10, kHeads = 45;
  return static_cast<double>(blocks) * (setting.height + kHeads) +
         std::ceil(WidthOf(words, kOfWords) / room) * 12;
}

}  // namespace

std::string LatexEscaped(const std::string& text) {
  std::string out;
  // After the \\ of the row before, these would be an argument of it.
  if (text.starts_with('[') || text.starts_with('*')) out = "{}";
  for (const std::string_view character : Characters(text)) {
    out += LatexCharacter(IsCharacter(character) ? character : "\xEF\xBF\xBD");
  }
  return out;
}

std::string FormatLatex(const Table& table, const std::string& name) {
  std::string words = table.caption, notes;
  for (const std::string& note : table.notes) {
    words += note;
    notes += (notes.empty() ? "" : " ") + LatexEscaped(note);
  }
  const std::string label = LabelOf(name);
  const std::string caption =
      fmt::format("\\caption{{{}}}\n\\label{{tab:{}}}", LatexEscaped(table.caption), label);
  // The largest letters with the fewest blocks, texts as wide as they may be.
  const auto layouts = [&](double room) {
    std::optional<std::pair<Setting, std::vector<std::vector<std::size_t>>>> best;
    for (const double widest : {room, 150.0, 100.0, 70.0}) {
      for (const Size& size : kSizes) {
        Setting setting(table, size, widest);
        auto blocks = Blocks(setting, room);
        if (best && blocks.size() >= best->second.size()) continue;
        best.emplace(std::move(setting), std::move(blocks));
        if (best->second.size() == 1) return *best;
      }
    }
    return *best;
  };
  const auto needs = [](const std::vector<std::string>& packages) {
    return fmt::format("% Needs \\usepackage{{{}}}.\n", fmt::join(packages, "}, \\usepackage{"));
  };
  const auto [setting, blocks] = layouts(kTextWidth);
  if (blocks.size() == 1 || static_cast<double>(blocks.size()) * setting.height < kTextHeight / 3) {
    if (HeightOf(setting, blocks.size(), words, kTextWidth) <= kTextHeight) {
      return needs({"booktabs", "graphicx"}) + FloatOf(setting, blocks, caption, notes, "table");
    }
  } else {
    const auto [turned, whole] = layouts(kTextHeight);
    if (whole.size() == 1 && HeightOf(turned, 1, words, kTextHeight) <= kTextWidth) {
      return needs({"booktabs", "graphicx", "rotating"}) +
             FloatOf(turned, whole, caption, notes, "sidewaystable");
    }
    if (HeightOf(setting, blocks.size(), words, kTextWidth) <= kTextHeight) {
      return needs({"booktabs", "graphicx"}) + FloatOf(setting, blocks, caption, notes, "table");
    }
  }
  return needs({"booktabs", "longtable"}) + LongOf(setting, blocks, caption, label, notes);
}

}  // namespace flare::report
