// A real Slurm of two nodes on this host, for the tests of what we do on clusters.

#ifndef FLARE_TESTS_SUPPORT_SLURM_CLUSTER_H_
#define FLARE_TESTS_SUPPORT_SLURM_CLUSTER_H_

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "support/process_tree.h"

namespace flare {

// Runs as the current user, who need not be root, with its own key, state and ports: it needs no
// systemd, no cgroups and no existing Slurm, and several may run at a time.
class SlurmCluster {
 public:
  // Starts the daemons and returns when jobs can start on both nodes, n1 and n2, of 2 CPUs each.
  // All files are in `scratch`, an empty directory whose path is short enough for that of a socket
  // (some 90 bytes). Throws std::runtime_error with the ends of the daemons' logs if a daemon ends
  // or it takes too long.
  explicit SlurmCluster(const std::filesystem::path& scratch);
  // A program that it needs and that is not installed, or "".
  static std::string MissingProgram();
  // Ends the daemons and the jobs at once.
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  // To be put before shell commands, which then use this cluster.
  const std::string& Environment() const { return environment_; }

  // As if the node's machine lost power: ends its slurmd, the jobs that run there and all their
  // processes. The controller is told, since it would notice by itself only much later.
  void CrashNode(const std::string& node);
  // Starts a crashed node again and returns when jobs can start there.
  void RestoreNode(const std::string& node);

 private:
  // A port that nobody else gets while we hold it, whether or not a daemon listens there.
  class Port {
   public:
    Port();
    ~Port();
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;
    int number() const { return number_; }

   private:
    int socket_;
    int number_;
  };

  void WriteConfiguration();
  std::unique_ptr<ProcessTree> Start(const std::string& name, const std::string& command) const;
  void StartNode(const std::string& node);
  std::string Run(const std::string& command) const;
  void WaitForNodes() const;
  std::string EndsOfLogs() const;

  std::filesystem::path scratch_;
  std::string environment_;
  Port controller_port_, node_ports_[2];
  // In this order, so that a node ends before those that it reports to.
  std::unique_ptr<ProcessTree> munge_, controller_;
  std::map<std::string, std::unique_ptr<ProcessTree>> nodes_;
};

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_SLURM_CLUSTER_H_
