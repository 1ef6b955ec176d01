#include "faults/injection.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <utility>

#include "flare/base/file.h"
#include "flare/base/text.h"
#include "support/paths.h"

namespace flare {
namespace fs = std::filesystem;

std::string FaultPoint::Describe() const { return fmt::format("{} {} ({}.)", call, path, nth); }

std::string Fault::Describe() const {
  return error == 0 ? kind : fmt::format("{}: {}", kind, std::strerror(error));
}

Injector::Injector(fs::path folder, const fs::path& log_folder)
    : folder_(std::move(folder)), log_(log_folder / "calls") {}

ProgramResult Injector::Run(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& environment) const {
  // A command that hangs is a failure too: 124.
  std::vector<std::string> command = {"timeout", "60", "env", "-C", folder_};
  command.insert(command.end(), environment.begin(), environment.end());
  command.emplace_back(FlareProgram());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command).value();
}

std::vector<std::string> Injector::Watching() const {
  return {std::string("LD_PRELOAD=") + FAULT_SHIM, "FAULT_UNDER=" + folder_.string(),
          "FAULT_LOG=" + log_.string(),
          // The address sanitizer asks to come first, but need not.
          "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"};
}

std::vector<FaultPoint> Injector::Trace(const std::vector<std::string>& arguments) const {
  fs::remove(log_);
  const ProgramResult result = Run(arguments, Watching());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const std::string log = ReadFile(log_);
  std::vector<FaultPoint> points;
  std::map<std::string_view, int> times;
  for (const std::string_view line : Lines(log)) {
    const std::size_t space = line.find(' ');
    points.push_back(
        {std::string(line.substr(0, space)), std::string(line.substr(space + 1)), ++times[line]});
  }
  return points;
}

FaultyRun Injector::Run(const std::vector<std::string>& arguments, const FaultPoint& point,
                        const Fault& fault) const {
  fs::remove(log_);
  std::vector<std::string> environment = Watching();
  environment.push_back(fmt::format("FAULT_AT={} {}", point.call, point.path));
  environment.push_back(fmt::format("FAULT_NTH={}", point.nth));
  environment.push_back("FAULT=" + fault.kind);
  environment.push_back(fmt::format("FAULT_ERRNO={}", fault.error));
  FaultyRun run;
  run.result = Run(arguments, environment);
  run.reached = fs::exists(log_) && ReadFile(log_).find("\n! ") != std::string::npos;
  return run;
}

}  // namespace flare
