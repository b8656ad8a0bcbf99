// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/nvtx_abi.h"

namespace mansard::collector {

// Installs our functions in the callback table of one copy of NVTX (each shared object that uses
// NVTX has its own). Returns false if the table is unknown, or nothing is to be recorded.
bool attach_nvtx(nvtx::GetExportTable get_export_table);

// Does the same for one copy of the payload extension.
bool attach_nvtx_payloads(const nvtx::ModuleInfo& module);

// Plain ranges and marks, for programs built without NVTX.
void push_plain_range(const char* text);
void pop_plain_range();
void add_plain_mark(const char* text);
// A hash of the work that the innermost plain range of this thread states; 0: none.
std::uint64_t work_of_plain_range();

}  // namespace mansard::collector
