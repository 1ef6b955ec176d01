#include "support/slurm_cluster.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "support/installed.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTimeLimit(40);

std::string ShortHostName() {
  std::array<char, 256> name{};
  FLARE_CHECK(::gethostname(name.data(), name.size() - 1) == 0);
  const std::string full = name.data();
  return full.substr(0, full.find('.'));
}

std::string UserName() {
  const passwd* user = ::getpwuid(::geteuid());
  if (user == nullptr) throw std::runtime_error("Slurm needs a user with a name");
  return user->pw_name;
}

std::string RandomKey() {
  std::random_device device;
  std::string key(128, '\0');
  for (char& c : key) c = static_cast<char>(device());
  return key;
}

}  // namespace

// The socket is bound but does not listen. So the port is neither given to those who ask for any
// free one nor used for outgoing connections, and yet a daemon can listen there, because both sides
// allow the address to be reused.
SlurmCluster::Port::Port() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  FLARE_CHECK(socket_ >= 0);
  const int yes = 1;
  FLARE_CHECK(::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  FLARE_CHECK(::bind(socket_, generic, size) == 0);
  FLARE_CHECK(::getsockname(socket_, generic, &size) == 0);
  number_ = ntohs(address.sin_port);
}

SlurmCluster::Port::~Port() { ::close(socket_); }

SlurmCluster::SlurmCluster(const fs::path& scratch) : scratch_(fs::absolute(scratch)) {
  for (const char* folder : {"log", "run", "state", "spool"}) {
    fs::create_directories(scratch_ / folder);
  }
  // Daemons are in places that an ordinary user's PATH does not have. Settings of a cluster that
  // the user otherwise works on, or of a job that we are in, must not get here.
  environment_ = fmt::format(
      "unset ${{!SLURM*}} ${{!SBATCH_*}} ${{!SQUEUE_*}} ${{!SINFO_*}} ${{!SCANCEL_*}}; "
      "export SLURM_CONF='{}' PATH=\"$PATH:/usr/sbin\"; ",
      (scratch_ / "slurm.conf").string());
  WriteConfiguration();
  // --force: munged would prefer a socket that all users can reach. --origin: the host's name may
  // have no address.
  munge_ =
      Start("munged",
            fmt::format("munged --foreground --force --origin=127.0.0.1 --key-file='{0}/munge.key' "
                        "--socket='{0}/run/munge.sock' --pid-file='{0}/run/munged.pid' "
                        "--seed-file='{0}/run/munged.seed'",
                        scratch_.string()));
  controller_ = Start("slurmctld", "slurmctld -D -c");
  for (const char* node : {"n1", "n2"}) StartNode(node);
  WaitForNodes();
}

SlurmCluster::~SlurmCluster() = default;

std::string SlurmCluster::MissingProgram() {
  for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch"}) {
    if (!Installed(program)) return program;
  }
  return "";
}

void SlurmCluster::WriteConfiguration() {
  const fs::path key = scratch_ / "munge.key";
  WriteFile(key, "");
  fs::permissions(key, fs::perms::owner_read | fs::perms::owner_write);
  WriteFile(key, RandomKey());
  // No CommunicationParameters=NoInAddrAny, which would listen at the address that the host's name
  // has, if any: on one machine that is 127.0.1.1, on another that of a network card.
  // cred_expire: a requeued job waits until its old credential has expired; less is refused.
  // sched_interval: a job that became eligible by the passing of time is noticed only then.
  // ReturnToService: a restored node is used again.
  // SlurmdParameters: believe what is said here about the nodes, whatever the machine has.
  WriteFile(scratch_ / "slurm.conf",
            fmt::format(R"(ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={scratch}/run/munge.sock,cred_expire=5
StateSaveLocation={scratch}/state
SlurmdSpoolDir={scratch}/spool/%n
SlurmctldPidFile={scratch}/run/slurmctld.pid
SlurmdPidFile={scratch}/run/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=2
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={n1_port} CPUs=2 RealMemory=4000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={n2_port} CPUs=2 RealMemory=4000
PartitionName=test Nodes=ALL Default=YES DefaultTime=10 MaxTime=INFINITE State=UP
)",
                        fmt::arg("host", ShortHostName()), fmt::arg("user", UserName()),
                        fmt::arg("scratch", scratch_.string()),
                        fmt::arg("controller_port", controller_port_.number()),
                        fmt::arg("n1_port", node_ports_[0].number()),
                        fmt::arg("n2_port", node_ports_[1].number())));
}

std::unique_ptr<ProcessTree> SlurmCluster::Start(const std::string& name,
                                                 const std::string& command) const {
  return std::make_unique<ProcessTree>(environment_ + "exec " + command,
                                       scratch_ / "log" / (name + ".log"));
}

void SlurmCluster::StartNode(const std::string& node) {
  nodes_[node] = Start("slurmd-" + node, "slurmd -D -N " + node);
}

void SlurmCluster::CrashNode(const std::string& node) {
  FLARE_CHECK(nodes_.erase(node) == 1);
  Run("scontrol update nodename=" + node + " state=down reason=crash");
}

void SlurmCluster::RestoreNode(const std::string& node) {
  FLARE_CHECK(!nodes_.contains(node));
  StartNode(node);
  WaitForNodes();
}

std::string SlurmCluster::Run(const std::string& command) const {
  const ShellResult result = RunShell(environment_ + command, scratch_);
  if (result.exit_code == 0) return result.output;
  throw std::runtime_error(command + ": " + result.output + EndsOfLogs());
}

// Until each node that we have started is up, whether or not jobs run there.
void SlurmCluster::WaitForNodes() const {
  const auto end = std::chrono::steady_clock::now() + kTimeLimit;
  const auto running = [&] {
    bool all = munge_->Running() && controller_->Running();
    for (const auto& [node, processes] : nodes_) all = all && processes->Running();
    return all;
  };
  std::string seen;
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!running() || std::chrono::steady_clock::now() > end) {
      throw std::runtime_error("Slurm's nodes are not up; sinfo: " + seen + EndsOfLogs());
    }
    seen = RunShell(environment_ + "sinfo --noheader --Node --format='%N=%t'", scratch_).output;
    const auto up = [&](const auto& node) {
      for (const char* state : {"idle", "mix", "alloc", "comp"}) {
        if (seen.find(node.first + "=" + state + "\n") != std::string::npos) return true;
      }
      return false;
    };
    if (std::all_of(nodes_.begin(), nodes_.end(), up)) return;
  }
}

std::string SlurmCluster::EndsOfLogs() const {
  constexpr std::size_t kLines = 15;
  std::string out;
  for (const auto& entry : fs::directory_iterator(scratch_ / "log")) {
    const std::string log = ReadFile(entry.path());
    const auto lines = Lines(log);
    if (!lines.empty()) out += fmt::format("\n--- {}\n", entry.path().filename().string());
    for (std::size_t i = lines.size() - std::min(lines.size(), kLines); i < lines.size(); ++i) {
      out += lines[i];
      out += '\n';
    }
  }
  return out;
}

}  // namespace flare
