#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The complete workflow on a GPU machine, and the checks that need a GPU: characterize, profile,
# analyze, report, kernels compared with their references, a PyTorch loop with torch.profiler.
#   tests/gpu/h200.sh BUILD_FOLDER OUTPUT_FOLDER
# Prints a line for each check, and exits with 1 if one failed. Run it on an idle GPU.
set -uo pipefail
build=$(cd "$1" && pwd)
out=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
mansard=$build/bin/mansard
failures=0

check() {  # check NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$out/$name.log" 2>&1; then
    echo "ok      $name"
  else
    echo "FAILED  $name (exit $?)"
    tail -n 15 "$out/$name.log" | sed 's/^/        /'
    failures=$((failures + 1))
  fi
}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,power.draw,power.limit --format=csv,noheader |
  tee "$out/gpu.txt"
check doctor "$mansard" doctor
for test in "$build"/bin/test_*_gpu; do
  [ -x "$test" ] && check "$(basename "$test")" "$test"
done

if command -v compute-sanitizer >/dev/null; then
  # Every quantization kernel on ragged shapes only; the whole program takes many times longer.
  for tool in memcheck racecheck; do
    check "$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 \
      "$build/bin/test_kernels_gpu" --gtest_filter='*Golden*:CudaNvfp4.*:CudaNvfp4Of/0.*Special*:Ragged/CudaFp8.*129x17'
  done
else
  echo "skipped memcheck, racecheck: no compute-sanitizer"
fi
[ -x "$build/bin/benchmark_quantize_kernels" ] &&
  check quantize_kernels "$build/bin/benchmark_quantize_kernels"

check disturbances python3 "$here/check_disturbances.py" "$mansard"
check characterize "$mansard" characterize --full --device gpu -f -o "$out/machine.json"
check ceilings python3 "$here/check_ceilings.py" "$out/machine.json"

for recipe in bf16 fp8 fp8_delayed fp8_block mxfp8 nvfp4 mor_tensor mor_block; do
  check "layer_$recipe" "$mansard" run layer --recipe "$recipe" --device gpu --verify
done
for recipe in bf16 nvfp4; do
  check "profile_$recipe" "$mansard" profile -f -o "$out/layer_$recipe.sqlite" -- \
    "$mansard" run layer --recipe "$recipe" --device gpu
  check "analyze_$recipe" "$mansard" analyze "$out/layer_$recipe.sqlite" \
    --machine "$out/machine.json"
done
check report "$mansard" report "$out/layer_nvfp4.sqlite" "$out/layer_bf16.sqlite" \
  --machine "$out/machine.json" -f -o "$out/report.html"

if command -v ncu >/dev/null; then
  check counters python3 "$here/check_counters.py" "$mansard" "$out/counters.md"
else
  echo "skipped counters: no ncu"
fi
if python3 -c 'import torch' 2>/dev/null; then
  check training_step python3 "$here/check_training_step.py" "$mansard"
  check training_resume python3 "$here/check_training_resume.py" "$mansard"
  check training_explain python3 "$here/check_training_explain.py" "$mansard" "$out/training_explain"
  check training_speed python3 "$here/check_training_speed.py" "$mansard"
  check torch_module python3 "$here/check_torch_module.py" "$build/lib/python"
  check pytorch_counts python3 "$here/check_pytorch_counts.py" "$mansard" "$out"
  for precision in bf16 fp8; do
    check "llama_$precision" "$mansard" profile -f -o "$out/llama_$precision.sqlite" -- \
      python3 "$here/../../examples/pytorch/train_llama.py" --precision "$precision"
    check "analyze_llama_$precision" "$mansard" analyze "$out/llama_$precision.sqlite" \
      --machine "$out/machine.json"
  done
  command -v ncu >/dev/null &&
    check profile_counters python3 "$here/check_profile_counters.py" "$mansard" "$out"
  check offload "$mansard" profile -f -o "$out/offload.sqlite" -- python3 "$here/offload_program.py" 6
  check causes python3 "$here/check_causes.py" "$mansard" "$out"
  check class_power python3 "$here/class_power.py" "$mansard"
  check overhead python3 "$here/check_overhead.py" "$mansard" "$out"
  check gpu_metrics python3 "$here/check_gpu_metrics.py" "$mansard" "$out"
  if [ "$(nvidia-smi --list-gpus | wc -l)" -ge 2 ]; then
    check ranks python3 "$here/check_ranks.py" "$mansard" "$out"
    check collectives python3 "$here/check_collectives.py" "$mansard" "$out" "$out/machine.json"
    check torch_parallel python3 "$here/check_torch_parallel.py" "$build/lib/python"
  else
    echo "skipped ranks, collectives, torch_parallel: one GPU"
  fi
else
  echo "skipped pytorch_counts, llama, profile_counters, overhead, gpu_metrics, ranks,"
  echo "  collectives, torch_parallel: no PyTorch"
fi
check event_rate python3 "$here/check_event_rate.py" "$build" "$out"
check explain python3 "$here/check_explain.py" "$mansard" "$out"
check kill python3 "$here/check_kill.py" "$mansard" "$out"
check windows python3 "$here/check_windows.py" "$mansard" "$out"
check graph_trace python3 "$here/check_graph_trace.py" "$mansard" "$out"
echo "$failures failed"
[ "$failures" = 0 ]
