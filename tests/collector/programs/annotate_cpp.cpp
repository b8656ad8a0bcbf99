// SPDX-License-Identifier: Apache-2.0
// Ranges with the C++ helper, in strict C++11. Prints whether a tool is attached.
#include <cstdio>

#include "kernels/annotation/annotate.h"

int main() {
  namespace annotate = mansard::annotate;
  {
    const annotate::Range step("step 0");
    const annotate::Range fprop(annotate::Work("fprop")
                                    .gemm(8192, 4096, 14336)
                                    .bytes("hbm", 419430400)
                                    .bytes("l2", 1.5e9)
                                    .precision("nvfp4"));
  }
  try {
    const annotate::Range range(annotate::Work("left by a throw").flop(7).shape("mine"));
    throw 1;
  } catch (int) {
  }
  const annotate::Range last("after");
  std::printf("%d\n", mansard_tool_attached());
}
