// flare generate --out DIR [LANG…|--all]: datasets in the FLaRe layout.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/cli/command.h"
#include "flare/cli/terminal.h"
#include "flare/data/generate.h"
#include "flare/languages/catalog.h"

namespace flare {
namespace {

struct GenerateArguments {
  explicit GenerateArguments(CLI::App& app) {
    app.add_option("languages", languages, LanguageForms("names"))->type_name("LANG");
    app.add_flag("--all", all, "all languages of the paper");
    app.add_option("--out", out, "the directory that gets one directory per language")
        ->required()
        ->type_name("DIR");
    app.add_option("--name", name, "the directory of a language that you define");
    AddCount(app, "--seed", seed, "the same seed gives the same bytes");
    app.add_option("--preset", preset, "flare (the paper's splits) or mlregtest")
        ->capture_default_str();
    size_option = AddCount(app, "--size", size, "mlregtest: examples per split (default 1000)")
                      ->default_str("");
    app.add_option("--config", config, "settings, as TOML (docs/reference/datasets.md)")
        ->type_name("FILE");
    app.add_option("--set", settings, "one setting, as splits.train.size=500; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    app.add_flag("--repair", repair, "restore what is missing or has changed in existing datasets");
    AddCount(app, "--jobs", jobs, "threads");
    AddLanguageOptions(app, resolve);
  }

  std::vector<std::string> languages;
  bool all = false, repair = false;
  std::string out, name, config;
  std::uint64_t seed = 0, size = 0, jobs = 1;
  CLI::Option* size_option;
  std::string preset = "flare";
  std::vector<std::string> settings;
  ResolveOptions resolve;
};

DatasetConfig MakeConfig(const GenerateArguments& options) {
  DatasetConfig config = MakePreset(options.preset);
  if (options.size_option->count() != 0) {
    if (options.preset != "mlregtest") {
      throw InputError("--size", "is for --preset mlregtest; use --set splits.NAME.size=N");
    }
    const std::vector<SplitConfig> splits = config.splits;
    for (const SplitConfig& split : splits) {
      ApplySetting("splits." + split.name + ".size", std::to_string(options.size), "--size",
                   config);
    }
  }
  if (!options.config.empty()) ApplyToml(ReadFile(options.config), options.config, config);
  for (const std::string& setting : options.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      throw InputError("--set", fmt::format("'{}' is not KEY=VALUE", setting));
    }
    ApplySetting(setting.substr(0, equals), setting.substr(equals + 1), "--set", config);
  }
  Validate(config);
  return config;
}

std::vector<DatasetRequest> MakeRequests(const GenerateArguments& options,
                                         const DatasetConfig& config) {
  std::vector<std::string> texts = options.languages;
  if (options.all) {
    if (!texts.empty()) throw InputError("--all", "cannot be combined with a list of languages");
    // Balanced and adversarial splits exist for regular languages only.
    const bool only_regular =
        std::any_of(config.splits.begin(), config.splits.end(), [](const SplitConfig& split) {
          return split.size > 0 &&
                 (split.kind == SplitKind::kBalanced || split.kind == SplitKind::kAdversarial);
        });
    for (const CatalogEntry& entry : Catalog()) {
      if (entry.origin != Origin::kPaper) continue;
      if (!only_regular || entry.language_class == LanguageClass::kRegular) {
        texts.push_back(entry.name);
      }
    }
  }
  if (texts.empty()) throw InputError("", "which languages? name some, or say --all");
  if (!options.name.empty() && texts.size() != 1) {
    throw InputError("--name", "needs exactly one language");
  }
  std::vector<DatasetRequest> requests;
  for (const std::string& text : texts) {
    if (IsDefinition(text) && options.name.empty()) {
      throw InputError(text, "needs a directory name", "give one with --name");
    }
    DatasetRequest request{options.name.empty() ? text : options.name,
                           ResolveLanguage(text, options.resolve)};
    for (const DatasetRequest& other : requests) {
      if (other.name == request.name) throw InputError(text, "is listed twice");
    }
    requests.push_back(std::move(request));
  }
  return requests;
}

int Generate(const GenerateArguments& options) {
  const GenerateOptions generate{options.out, options.seed, MakeConfig(options),
                                 options.repair ? ExistingData::kRepair : ExistingData::kCheck};
  const auto requests = MakeRequests(options, generate.config);
  ProgressBar bar;
  Progress progress(bar, requests.size(), "languages");
  GenerateAll(requests, generate, options.jobs, progress);
  return kDone;
}

}  // namespace

std::function<int()> GenerateCommand(CLI::App& app) {
  const auto options = std::make_shared<GenerateArguments>(app);
  return [options] { return Generate(*options); };
}

}  // namespace flare
