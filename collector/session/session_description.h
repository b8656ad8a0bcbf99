// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/store/profile.h"

namespace mansard::collector {

// This process and the machine it runs on; start_utc_ns is now. `command` empty: this process's own
// command line.
store::SessionInfo describe_session(std::string command);

}  // namespace mansard::collector
