// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/recorder.h"

namespace mansard::collector {

// Records this process's GPU work from now on. Throws std::runtime_error when that is impossible;
// only the first call does anything.
void start_cupti(Recorder& recorder);

}  // namespace mansard::collector
