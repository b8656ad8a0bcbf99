// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/store/profile.h"

namespace mansard::collector {

// Describes this process and its machine; start_utc_ns is now. If `command` is empty, uses this
// process's own command line.
store::SessionInfo describe_session(std::string command);

}  // namespace mansard::collector
