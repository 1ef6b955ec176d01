// flare completion bash|zsh|fish: what a shell reads to complete our commands.

#include <memory>

#include "flare/cli/command.h"
#include "flare/cli/command_tree.h"
#include "flare/languages/catalog.h"
#include "flare/nn/architectures.h"
#include "flare/nn/target.h"

namespace flare {
namespace {

std::vector<std::string> ValueWordsOf(const OptionInfo& option) {
  const std::string& name = option.names[0];
  std::vector<std::string> words = option.choices;
  if (name == "language" || name == "--language") {
    for (const CatalogEntry& entry : Catalog()) words.push_back(entry.name);
  } else if (name == "--architecture") {
    for (const Architecture& one : Architectures()) words.push_back(one.name);
  } else if (name == "--target") {
    words = TargetNames();
  }
  return words;
}

}  // namespace

std::function<int()> CompletionCommand(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "which shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return [shell, &app] {
    const CommandInfo root = Describe(*app.get_parent());
    Print(*shell == "bash"  ? BashCompletion(root, ValueWordsOf)
          : *shell == "zsh" ? ZshCompletion(root, ValueWordsOf)
                            : FishCompletion(root, ValueWordsOf));
    return static_cast<int>(kDone);
  };
}

}  // namespace flare
