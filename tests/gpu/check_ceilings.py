# SPDX-License-Identifier: Apache-2.0
"""Holds the ceilings measured on an H200 against what the machine is known to reach.

Usage: check_ceilings.py machine.json"""

import json
import sys

# Ceiling, field, least value: 97 % of the clock-normalised tensor peak; device memory by copy.
BARS = [
    ("wgmma_bf16", "fraction_of_theory_at_clock", 0.97),
    ("wgmma_fp8_e4m3", "fraction_of_theory_at_clock", 0.97),
    ("fma_fp32", "fraction_of_theory_at_clock", 0.95),
    ("hbm_copy", "value", 3.9e12),
    ("hbm_triad", "value", 3.9e12),
    ("l2_read", "value", 9e12),
]


def main():
    model = json.load(open(sys.argv[1], encoding="utf-8"))
    gpu = next(d for d in model["devices"] if d["device"]["target"] == "cuda")
    ceilings = {c["id"]: c for c in gpu["ceilings"]}
    failed = False
    for name, field, least in BARS:
        value = ceilings[name][field] if name in ceilings else float("nan")
        good = value >= least
        failed |= not good
        print(f"{'ok' if good else 'LOW'}  {name} {field} {value:.6g}, at least {least:.6g}")
    print(f"launch_stream {ceilings['launch_stream']['value']:.3g} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
