// SPDX-License-Identifier: Apache-2.0
// Starts this command once per rank on this host, as torchrun does.
#pragma once

namespace mansard::cli {

// Runs the command line of this process in `ranks` child processes with torchrun's environment
// variables, and waits for all of them. SIGINT and SIGTERM are forwarded. If a rank fails, the
// others get time to notice, and are then ended. Returns 0, or the exit code of the rank that
// failed first, as in shells. Throws std::runtime_error if no process can be started.
int run_ranks(int ranks);

}  // namespace mansard::cli
