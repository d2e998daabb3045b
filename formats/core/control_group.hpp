// What the control groups of this process leave it: containers and batch systems limit memory and processors by them,
// and the rest of the system does not show it. Both versions are read where systemd mounts them, /sys/fs/cgroup.
// Source: Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace spress {

/// Bytes that the tightest group above this process leaves: its limit less what is used, without the contents of files
/// that the system would drop. None where no group has a limit. root: the folder that holds proc and sys.
[[nodiscard]] std::optional<std::uint64_t> memory_of_group(const std::string& root = "/");

/// The processors whose time the tightest group grants, rounded up. None where no group has a limit.
[[nodiscard]] std::optional<int> processors_of_group(const std::string& root = "/");

}  // namespace spress
