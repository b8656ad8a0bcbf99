#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the profiles of `mansard train` in examples: a Llama of four blocks, in BF16, FP8 and NVFP4,
# with the numerics of its tensors.
#   tests/gpu/record_training.sh BUILD_FOLDER CORPUS OUTPUT_FOLDER
# CORPUS is a folder of text (examples/training/make_corpus.py). Run it on an idle GPU.
set -euo pipefail
PATH=$(cd "$1" && pwd)/bin:$PATH
out=$(mkdir -p "$3" && cd "$3" && pwd)
cd "$(dirname "$2")"  # the recorded command names no other folders
for recipe in bf16 fp8 nvfp4; do
  mansard profile -f -o "$out/train_$recipe.sqlite" -- \
    mansard train --data "$(basename "$2")" --hidden 2048 --layers 4 --heads 16 --kv-heads 4 --ffn 8192 \
    --batch 4 --sequence 4096 --steps 16 --warmup 4 --validation-sequences 8 --numerics 8 --recipe "$recipe"
  if command -v sqlite3 >/dev/null; then sqlite3 "$out/train_$recipe.sqlite" VACUUM; fi
done
