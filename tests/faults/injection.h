// Runs flare with one call to the system made to fail: the other half of fault_shim.cc.

#ifndef FLARE_TESTS_FAULTS_INJECTION_H_
#define FLARE_TESTS_FAULTS_INJECTION_H_

#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/process.h"

namespace flare {

// One call that a command makes: the nth of this kind on this file, as in the shim's log.
struct FaultPoint {
  std::string call;  // "write"
  std::string path;  // relative to the directory that is watched
  int nth = 1;

  std::string Describe() const;
};

// What becomes of it.
struct Fault {
  std::string kind;  // as the shim's variable FAULT
  int error = 0;     // an errno, where the kind has one

  bool Kills() const { return kind.starts_with("kill"); }
  std::string Describe() const;
};

struct FaultyRun {
  ProgramResult result;
  bool reached = false;  // the point was reached, so the fault was injected
};

// Commands are run in `folder`, whose files are the ones that count; the log is in `log_folder`.
class Injector {
 public:
  Injector(std::filesystem::path folder, const std::filesystem::path& log_folder);

  // Without a fault. `environment` has variables as NAME=VALUE.
  ProgramResult Run(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment = {}) const;
  // All calls of a run without a fault, which must succeed, in their order.
  std::vector<FaultPoint> Trace(const std::vector<std::string>& arguments) const;
  FaultyRun Run(const std::vector<std::string>& arguments, const FaultPoint& point,
                const Fault& fault) const;

 private:
  std::vector<std::string> Watching() const;

  std::filesystem::path folder_, log_;
};

}  // namespace flare

#endif  // FLARE_TESTS_FAULTS_INJECTION_H_
