// Runs: our models, the minibatches of training, and the directories of runs that Python trains.
// ../flarelang/run.py and training.py make classes of this.

#include "flare/training/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/nn/architectures.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/model_file.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/safetensors.h"
#include "flare/nn/schedule.h"
#include "flare/runs/recipe.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/run_settings.h"
#include "flare/training/batching.h"
#include "flare/training/external_run.h"
#include "flare/training/make_settings.h"
#include "flare/training/measure.h"
#include "flare/training/run_data.h"
#include "flare/training/stopping.h"
#include "flare/training/train_data.h"
#include "interrupts.h"
#include "next_symbols.h"
#include "strings.h"

namespace flare::python {
namespace {

namespace fs = std::filesystem;

// The trained model of a run of ours. A model works for one thread at a time.
class BoundModel {
 public:
  explicit BoundModel(const fs::path& run)
      : plan_(ReadPlan(RunDirectory(run))),
        model_(LoadModel(RunDirectory(run), plan_).model),
        alphabet_(std::make_shared<const Alphabet>(plan_.data.alphabet)) {}

  py::array_t<float> Logits(const py::object& given) {
    const Strings strings = Strings::From(alphabet_, given);
    std::vector<float> logits;
    {
      const py::gil_scoped_release unlock;
      const StringsView view = strings.View();
      Split split(alphabet_->size());
      for (std::size_t i = 0; i < view.size(); ++i) split.Add(view[i], false);
      const std::lock_guard one_at_a_time(mutex_);
      Interrupts interrupts;
      const auto check = [&] {
        interrupts.CheckNow();
        return std::string();
      };
      if (split.size() > 0) logits = ScoreSplit(*model_, split, nullptr, check).logits;
    }
    return ArrayOf<float>(std::move(logits));
  }

  // For every prefix of every string, side by side; and where those of each string begin.
  py::tuple PrefixLogits(const py::object& given) {
    auto [logits, offsets] = OfPrefixes(given, 1, [&](const Batch& batch, auto& of_string) {
      model_->PrefixLogits(batch, 0, of_string);
    });
    return py::make_tuple(ArrayOf<float>(std::move(logits)),
                          ArrayOf<std::int64_t>(std::move(offsets)));
  }
  // The same for the hidden vectors, (prefixes, hidden).
  py::tuple States(const py::object& given) {
    return MatrixOfPrefixes(given, model_->config().hidden, [&](const Batch& batch, auto& vectors) {
      model_->HiddenVectors(batch, 0, vectors);
    });
  }
  // The same for what the head of a term says.
  py::tuple HeadLogits(const std::string& term, const py::object& given) {
    const auto& terms = model_->config().terms;
    const auto found = std::find(terms.begin(), terms.end(), term);
    if (found == terms.end()) {
      throw InputError("term", fmt::format("'{}' is not one of the model's, whose loss is {}", term,
                                           plan_.settings.loss));
    }
    const auto i = static_cast<std::size_t>(found - terms.begin());
    return MatrixOfPrefixes(given, model_->num_outputs(i), [&](const Batch& batch, auto& logits) {
      model_->HeadLogits(batch, i, logits);
    });
  }

  std::vector<std::string> alphabet() const { return alphabet_->names(); }

 private:
  // What `values_of` gives for each string of a batch, side by side, and how many groups of `width`
  // come before each.
  template <class Values>
  std::pair<std::vector<float>, std::vector<std::int64_t>> OfPrefixes(const py::object& given,
                                                                      std::size_t width,
                                                                      Values values_of) {
    const Strings strings = Strings::From(alphabet_, given);
    const py::gil_scoped_release unlock;
    std::vector<float> values, of_string;
    std::vector<std::int64_t> offsets = {0};
    const StringsView view = strings.View();
    const std::lock_guard one_at_a_time(mutex_);
    Interrupts interrupts;
    for (std::size_t i = 0; i < view.size(); ++i) {
      Batch batch;
      batch.vocabulary = alphabet_->size();
      std::vector<std::uint32_t> tokens;
      for (const Symbol a : view[i]) tokens.push_back(static_cast<std::uint32_t>(a));
      batch.Add(tokens, false);
      values_of(batch, of_string);
      values.insert(values.end(), of_string.begin(), of_string.end());
      offsets.push_back(static_cast<std::int64_t>(values.size() / width));
      interrupts.CheckNow();
    }
    return {std::move(values), std::move(offsets)};
  }

  // (prefixes, width), and the rows with which strings begin.
  template <class Values>
  py::tuple MatrixOfPrefixes(const py::object& given, std::size_t width, Values values_of) {
    auto [values, offsets] = OfPrefixes(given, width, values_of);
    const auto columns = static_cast<py::ssize_t>(width);
    const auto rows = static_cast<py::ssize_t>(values.size()) / columns;
    return py::make_tuple(
        ArrayOf<float>(std::move(values)).reshape(std::vector<py::ssize_t>{rows, columns}),
        ArrayOf<std::int64_t>(std::move(offsets)));
  }

  const RunPlan plan_;
  const std::unique_ptr<Model> model_;
  const AlphabetPointer alphabet_;
  std::mutex mutex_;
};

// The automaton whose states the loss term st is about.
class BoundTracker {
 public:
  explicit BoundTracker(const fs::path& dataset) : BoundTracker(IdentifyData(dataset)) {}

  std::size_t num_states() const { return tracker_.num_states(); }

  // After every prefix of every string, from the empty one, side by side.
  py::array_t<std::int64_t> States(const py::object& given) const {
    const Strings strings = Strings::From(alphabet_, given);
    std::vector<std::uint32_t> states;
    {
      const py::gil_scoped_release unlock;
      const StringsView view = strings.View();
      for (std::size_t i = 0; i < view.size(); ++i) tracker_.Append(view[i], states);
    }
    return ArrayOf<std::int64_t>(std::vector<std::int64_t>(states.begin(), states.end()));
  }

 private:
  explicit BoundTracker(const RunData& data)
      : alphabet_(std::make_shared<const Alphabet>(data.alphabet)),
        tracker_(TrackerOf(data.pinned)) {}

  const AlphabetPointer alphabet_;
  const StateTracker tracker_;
};

// The file of a model before its first step.
py::bytes InitialModel(ModelConfig config, std::uint64_t seed, const std::string& init) {
  const Architecture* architecture = FindArchitecture(config.architecture);
  if (architecture == nullptr) {
    throw InputError("architecture", fmt::format("'{}' is unknown", config.architecture));
  }
  config.options = CompleteOptions(*architecture, config.options, "");
  const auto words = WordsOf("init");
  if (std::find(words.begin(), words.end(), init) == words.end()) {
    throw InputError("init",
                     fmt::format("{} is not one of {}", Quoted(init), fmt::join(words, ", ")));
  }
  const std::size_t step = SizeStep(*architecture, config.options);
  if (config.vocabulary == 0 || config.layers == 0 || config.hidden == 0 ||
      config.hidden % step != 0) {
    throw InputError("hidden",
                     fmt::format("expected layers and symbols, and a multiple of {}", step));
  }
  const bool tracks =
      std::any_of(config.terms.begin(), config.terms.end(),
                  [](const std::string& term) { return FindLossTerm(term)->needs_states; });
  if (tracks && config.states == 0) {
    throw InputError("states", "expected the number of states, which the loss tracks");
  }
  Model model(config, Target::kPortable);
  model.Initialize(seed, Parameters::SchemeOf(init));
  return py::bytes(FormatSafetensors(ModelToTensors(model)));
}

// The minibatches of an epoch: examples in order, and where each minibatch begins.
py::tuple PlanEpoch(const py::array_t<std::int64_t>& lengths, std::size_t tokens,
                    std::size_t extra_symbols, std::uint64_t seed, std::size_t epoch) {
  if (tokens == 0) throw InputError("tokens", "0 leaves no minibatch");
  // A plan depends on lengths alone.
  Split split(1);
  split.labels.resize(static_cast<std::size_t>(lengths.size()));
  for (py::ssize_t i = 0; i < lengths.size(); ++i) {
    if (lengths.at(i) < 0)
      throw InputError("lengths", fmt::format("{} is negative", lengths.at(i)));
    split.offsets.push_back(split.offsets.back() + static_cast<std::size_t>(lengths.at(i)));
  }
  Batcher batcher(split, {tokens, extra_symbols});
  batcher.PlanEpoch(seed, epoch);
  std::vector<std::int64_t> order, begins = {0};
  for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
    const auto examples = batcher.Examples(b);
    order.insert(order.end(), examples.begin(), examples.end());
    begins.push_back(static_cast<std::int64_t>(order.size()));
  }
  return py::make_tuple(ArrayOf<std::int64_t>(std::move(order)),
                        ArrayOf<std::int64_t>(std::move(begins)));
}

// All that validation can know of recognition, from logits: the figures that `select` and `stop_at`
// name.
py::dict RecognitionFigures(const py::array_t<std::int64_t>& lengths,
                            const py::array_t<bool>& labels, const std::vector<float>& logits) {
  Split split(1);
  for (py::ssize_t i = 0; i < lengths.size(); ++i) {
    split.Add(String(static_cast<std::size_t>(lengths.at(i)), Symbol{}), labels.at(i));
  }
  if (split.size() == 0 || split.size() != logits.size() ||
      split.size() != static_cast<std::size_t>(labels.size())) {
    throw InputError("logits", fmt::format("there are {} for {}", logits.size(),
                                           Counted(split.size(), "example")));
  }
  py::dict figures;
  Measure("", split, {.logits = logits, .terms = {}}, {})
      .ForEachScalar([&](std::string_view name, double value) {
        if (name != "examples" && name != "positives") figures[py::str(name)] = value;
      });
  return figures;
}

// What the program's catalogues say, for modules that compute with it: architectures with their
// options and defaults, terms of the loss, optimizers, schedules, and settings with their defaults.
std::string Catalogue() {
  Json json = {{"architectures", Json::object()},
               {"terms", Json::object()},
               {"optimizers", Json::object()},
               {"schedules", Json::object()},
               {"settings", Json::object()}};
  RunSettings defaults;
  VisitSettings(defaults, [&](const char* key, const auto& field, const SettingRange&,
                              const char*) { json["settings"][key] = field; });
  for (const Architecture& architecture : Architectures()) {
    Json& options = json["architectures"][architecture.name] = Json::object();
    for (const Option& option : architecture.options) options[option.name] = option.ValueIfAbsent();
  }
  for (const LossTermInfo& term : LossTermCatalog()) {
    json["terms"][term.name] = {{"key", term.key},
                                {"head", term.head},
                                {"ties_embeddings", term.ties_embeddings},
                                {"predicts_sets", term.contains != nullptr},
                                {"figures", term.figures},
                                {"of_negatives", term.strings == TermRows::Strings::kAll},
                                {"last_only", term.positions == TermRows::Positions::kLast},
                                {"needs_states", term.needs_states},
                                {"needs_next_symbols", term.needs_next_symbols},
                                {"predicts_eos", term.predicts_eos},
                                {"in_all_files", term.in_all_files}};
  }
  for (const OptimizerInfo& one : OptimizerCatalog()) json["optimizers"][one.name] = one.settings;
  for (const ScheduleInfo& one : ScheduleCatalog()) json["schedules"][one.name] = one.settings;
  return json.dump();
}

// The training strings of a run that Python trains, and how long they may be at each step.
class BoundTrainStrings {
 public:
  explicit BoundTrainStrings(const fs::path& run)
      : BoundTrainStrings(RunDirectory(run).ReadConfig(), RunDirectory(run).config()) {}

  std::size_t size() const { return strings_->size(); }
  bool repeats() const { return repeats_; }
  // Those of an epoch whose next step is `step`: strings, labels, and next-symbol sets or None.
  py::tuple Epoch(std::size_t epoch, std::size_t step) {
    // With the interpreter's lock, which keeps other threads away: the next call draws into it.
    const Split& split = strings_->Epoch(epoch, curriculum_.StageAt(step));
    std::vector<std::int64_t> offsets(split.offsets.begin(), split.offsets.end());
    const py::array_t<std::uint8_t> labels = ArrayOf<std::uint8_t>(std::vector(split.labels));
    py::object sets = py::none();
    if (split.has_next_symbols) sets = py::cast(NextSymbolsOf(split));
    return py::make_tuple(Strings(alphabet_, String(split.symbols), std::move(offsets)),
                          labels.attr("view")("bool"), std::move(sets));
  }
  std::int64_t Longest(std::size_t step) const {
    constexpr std::size_t kMost = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(
        std::min(curriculum_.stages[curriculum_.StageAt(step)].longest, kMost));
  }
  bool BeginsAt(std::size_t step) const { return curriculum_.BeginsAt(step); }

 private:
  BoundTrainStrings(const RunConfig& config, const fs::path& file)
      : BoundTrainStrings(config.settings, DataOf(config.data, file)) {}
  BoundTrainStrings(const RunSettings& settings, const RunData& data)
      : alphabet_(std::make_shared<const Alphabet>(data.alphabet)),
        curriculum_(ParseCurriculum(settings.curriculum, "curriculum")),
        repeats_(FindTrainData(settings.train_data)->repeats),
        strings_(OpenTrainStrings(settings, data)) {}

  const AlphabetPointer alphabet_;
  const Curriculum curriculum_;
  const bool repeats_;
  const std::unique_ptr<TrainStrings> strings_;
};

// The schedule and the stopping rules of a run that Python trains.
class BoundCourse {
 public:
  // `steps_per_epoch` is that of the training.
  BoundCourse(const fs::path& run, std::size_t steps_per_epoch)
      : settings_(RunDirectory(run).ReadConfig().settings),
        schedule_(ScheduleOf(settings_, steps_per_epoch)),
        stopping_(settings_) {}

  double Rate(std::size_t step) const { return schedule_.RateAt(step); }
  bool wants_all() const { return Validator::WantsAll(settings_); }
  // Is the checkpoint the best so far, and why does training end here, if it does?
  py::tuple Observe(const Figures& figures) {
    const bool is_best = stopping_.Observe(figures);
    schedule_.Observe(is_best);
    return py::make_tuple(is_best, std::string(stopping_.reason()));
  }
  py::tuple State() const {
    const StoppingState& state = stopping_.state();
    return py::make_tuple(schedule_.state().learning_rate, schedule_.state().since_reduction,
                          state.best, state.since_best, state.reached);
  }
  void Restore(double learning_rate, std::size_t since_reduction, std::optional<double> best,
               std::size_t since_best, std::size_t reached) {
    schedule_.Restore({learning_rate, since_reduction});
    stopping_.Restore({best, since_best, reached});
  }

 private:
  RunSettings settings_;
  Schedule schedule_;
  Stopping stopping_;
};

// A run that Python trains, held by this process.
class BoundRun {
 public:
  BoundRun(const fs::path& path, const fs::path& dataset, const std::string& name,
           const std::vector<std::string>& command, const SettingTexts& settings,
           const SettingTexts& options) {
    External external{name, command, {}};
    SettingTexts given = settings;
    for (const auto& [option, value] : options) {
      external.options.push_back(option);
      given[option] = value;
    }
    config_ = MakeExternalConfig(external, given, IdentifyData(dataset));
    LockObserver observer;
    LockOwner owner;
    owned_ = OwnedRun::TryOpen(path, observer, &owner);
    if (owned_ == nullptr) {
      throw InputError(path, fmt::format("{} is working on this run", owner.Describe()));
    }
    BeginExternal(*owned_, config_);
  }

  bool finished() const { return Owned().directory().is_finished(); }
  // Without a result, and without any answer.
  void BeginAgain() const { RemoveAnswers(Owned()); }
  void Score() const {
    const InterruptibleWork work;
    FinishExternal(Owned(), config_);
  }
  void Close() { owned_.reset(); }

 private:
  const OwnedRun& Owned() const {
    if (owned_ == nullptr) throw InputError("", "the run is closed");
    return *owned_;
  }

  RunConfig config_;
  std::unique_ptr<OwnedRun> owned_;
};

}  // namespace

void BindRun(py::module_& module) {
  const auto unlocked = py::call_guard<py::gil_scoped_release>();
  py::class_<BoundModel>(module, "Model")
      .def(py::init<const fs::path&>(), py::arg("run"), unlocked)
      .def_property_readonly("alphabet", &BoundModel::alphabet)
      .def("logits", &BoundModel::Logits, py::arg("strings"))
      .def("prefix_logits", &BoundModel::PrefixLogits, py::arg("strings"))
      .def("states", &BoundModel::States, py::arg("strings"))
      .def("head_logits", &BoundModel::HeadLogits, py::arg("term"), py::arg("strings"));
  RefuseUninitialized<BoundModel>();
  py::class_<BoundTracker>(
      module, "StateTracker",
      R"(The minimal complete automaton of a dataset's language, whose states the loss term st predicts.

>>> tracker = fl.Dataset("data/parity").tracker
>>> tracker.num_states, tracker.states(["1 1"]).tolist()
(2, [0, 1, 0])
)")
      .def(py::init<const fs::path&>(), py::arg("dataset"), unlocked)
      .def_property_readonly("num_states", &BoundTracker::num_states, "How many there are.")
      .def(
          "states", &BoundTracker::States, py::arg("strings"),
          R"(int64: the states after every prefix of every string, from the empty one, side by side.

>>> fl.Dataset("data/parity").tracker.states(["1", "0 1"]).tolist()
[0, 1, 0, 0, 1]
)")
      .def("__repr__", [](const BoundTracker& tracker) {
        return fmt::format("<StateTracker of {}>", Counted(tracker.num_states(), "state"));
      });
  RefuseUninitialized<BoundTracker>();
  module.def("initial_model",
             [](const std::string& architecture, std::size_t vocabulary, std::size_t layers,
                std::size_t hidden, const std::string& loss, std::size_t states, std::uint64_t seed,
                const std::string& init, bool reads_eos, const OptionTexts& options) {
               const std::string canonical = CanonicalLoss(loss, "loss");
               const Architecture* known = FindArchitecture(architecture);
               return InitialModel({.architecture = architecture,
                                    .vocabulary = vocabulary,
                                    .layers = layers,
                                    .hidden = hidden,
                                    .terms = LossTerms(canonical),
                                    .options = options,
                                    .states = states,
                                    .recognizes = HasRecognition(canonical),
                                    .reads_eos = reads_eos},
                                   seed, init.empty() && known != nullptr ? known->init : init);
             });
  module.def("recognition_figures", &RecognitionFigures);
  module.def("plan_epoch", &PlanEpoch);
  module.def("catalogue", &Catalogue);
  py::class_<BoundCourse>(module, "Course")
      .def(py::init<const fs::path&, std::size_t>())
      .def("rate", &BoundCourse::Rate)
      .def_property_readonly("wants_all", &BoundCourse::wants_all)
      .def("observe", &BoundCourse::Observe)
      .def("state", &BoundCourse::State)
      .def("restore", &BoundCourse::Restore);
  RefuseUninitialized<BoundCourse>();
  py::class_<BoundTrainStrings>(module, "TrainStrings")
      .def(py::init<const fs::path&>(), unlocked)
      .def_property_readonly("repeats", &BoundTrainStrings::repeats)
      .def("__len__", &BoundTrainStrings::size)
      .def("epoch", &BoundTrainStrings::Epoch)
      .def("longest", &BoundTrainStrings::Longest)
      .def("begins_at", &BoundTrainStrings::BeginsAt);
  RefuseUninitialized<BoundTrainStrings>();
  py::class_<BoundRun>(module, "ExternalRun")
      .def(py::init<const fs::path&, const fs::path&, const std::string&,
                    const std::vector<std::string>&, const SettingTexts&, const SettingTexts&>(),
           unlocked)
      .def_property_readonly("finished", &BoundRun::finished)
      .def("begin_again", &BoundRun::BeginAgain, unlocked)
      .def("score", &BoundRun::Score, unlocked)
      .def("close", &BoundRun::Close, unlocked);
  RefuseUninitialized<BoundRun>();
}

}  // namespace flare::python
