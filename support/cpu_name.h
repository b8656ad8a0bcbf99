// SPDX-License-Identifier: Apache-2.0
// The name of this machine's CPU. Machine models are matched to profiles by it, so both take it
// from here: CPUID and the kernel can give different names in a virtual machine.
#pragma once

#include <istream>
#include <string>

namespace mansard {

// The first "model name" of /proc/cpuinfo, without spaces around it; empty if there is none, as on
// most architectures other than x86.
std::string cpu_name();
std::string cpu_name(std::istream& cpuinfo);

}  // namespace mansard
