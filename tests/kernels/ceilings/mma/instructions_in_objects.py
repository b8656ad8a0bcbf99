# SPDX-License-Identifier: Apache-2.0
"""Checks that every kernel for a single architecture passes exactly the instruction it is named after
to the compiler: there may be no machine to run it, and the ceiling of another instruction would look
just as plausible.

Usage: instructions_in_objects.py OBJECT... with the object files of sm90a_*.cu, sm100a_*.cu and
sm120a_*.cu, which carry their PTX as plain text."""

import pathlib
import re
import sys

WGMMA = r"wgmma\.mma_async\.sync\.aligned\.m64n256k"
TCGEN05 = r"tcgen05\.mma\.cta_group::1\.kind::"
SCALED = r"\.block_scale\.scale_vec::"
MMA = r"mma\.sync\.aligned\.kind::"
# File stem/format (the template argument of the ceiling) -> opcode of the instruction in PTX.
EXPECTED = {
    "sm90a_wgmma/Bf16": WGMMA + r"16\.f32\.bf16\.bf16",
    "sm90a_wgmma/Fp16": WGMMA + r"16\.f32\.f16\.f16",
    "sm90a_wgmma/Fp16Acc16": WGMMA + r"16\.f16\.f16\.f16",
    "sm90a_wgmma/Fp8E4m3": WGMMA + r"32\.f32\.e4m3\.e4m3",
    "sm90a_wgmma/Fp8E5m2": WGMMA + r"32\.f32\.e5m2\.e5m2",
    "sm90a_wgmma/Int8": WGMMA + r"32\.s32\.s8\.s8",
    "sm90a_wgmma/Tf32": WGMMA + r"8\.f32\.tf32\.tf32",
    "sm100a_tcgen05/Bf16": TCGEN05 + r"f16",
    "sm100a_tcgen05/Fp16": TCGEN05 + r"f16",
    "sm100a_tcgen05/Tf32": TCGEN05 + r"tf32",
    "sm100a_tcgen05/Int8": TCGEN05 + r"i8",
    "sm100a_tcgen05/Fp8E4m3": TCGEN05 + r"f8f6f4",
    "sm100a_tcgen05/Fp8E5m2": TCGEN05 + r"f8f6f4",
    "sm100a_tcgen05/Mxfp8": TCGEN05 + r"mxf8f6f4" + SCALED + "1X",
    "sm100a_tcgen05/Mxfp4": TCGEN05 + r"mxf4" + SCALED + "2X",
    "sm100a_tcgen05/Nvfp4": TCGEN05 + r"mxf4nvf4" + SCALED + "4X",
    "sm120a_mma/Mxfp8":
        MMA + r"mxf8f6f4" + SCALED + r"1X\.m16n8k32\.row\.col\.f32\.e4m3\.e4m3\.f32\.ue8m0",
    "sm120a_mma/Mxfp4":
        MMA + r"mxf4" + SCALED + r"2X\.m16n8k64\.row\.col\.f32\.e2m1\.e2m1\.f32\.ue8m0",
    "sm120a_mma/Nvfp4":
        MMA + r"mxf4nvf4" + SCALED + r"4X\.m16n8k64\.row\.col\.f32\.e2m1\.e2m1\.f32\.ue4m3",
}
# File stem -> opcode of a kernel without matrix instructions.
OTHERS = {
    "sm100a_cvt_e2m1x2": r"cvt\.rn\.satfinite\.e2m1x2\.f32",
    "sm120a_cvt_e2m1x2": r"cvt\.rn\.satfinite\.e2m1x2\.f32",
    "sm100a_tensor_memory": r"tcgen05\.ld\.sync\.aligned\.32x32b\.x32\.b32",
}
# File stem/format -> expected instruction descriptors of tcgen05.mma. They contain the formats of sums
# and operands, which the opcode does not. Fields as in tcgen05_descriptor.h: 0x08400000 is 128 x 256;
# +0x10 for FP32 sums, +0x20 for INT32 sums; +0x480 times the code of the operand format; +0x00800000
# for UE8M0 scales; +0x20000010 times the byte of the first scale.
DESCRIPTORS = {
    "sm100a_tcgen05/Bf16": {0x08400490},
    "sm100a_tcgen05/Fp16": {0x08400010},
    "sm100a_tcgen05/Tf32": {0x08400910},
    "sm100a_tcgen05/Int8": {0x084004A0},
    "sm100a_tcgen05/Fp8E4m3": {0x08400010},
    "sm100a_tcgen05/Fp8E5m2": {0x08400490},
    "sm100a_tcgen05/Mxfp8": {0x08C00000, 0x28C00010, 0x48C00020, 0x68C00030},
    "sm100a_tcgen05/Mxfp4": {0x08C00480, 0x48C004A0},
    "sm100a_tcgen05/Nvfp4": {0x08400480},
}
# An opcode followed by an operand, unlike the names that parameters() prints.
MATRIX_INSTRUCTION = re.compile(
    rb"((?:wgmma\.mma_async|tcgen05\.mma|mma\.sync)\.[\w.:]+)\s*[\[{]\s*%")
TCGEN05_DESCRIPTOR = re.compile(rb"tcgen05\.mma\.\S+\s*\[%\w+\], %\w+, %\w+, (%\w+),")
ENTRY = re.compile(rb"\.entry\s+(\w+)")
CONSTANT = re.compile(rb"mov\.[bu]32\s+(%\w+), (\d+);")


def descriptors(content):
    """Descriptors of every tcgen05.mma; None if not constant. PTX assigns each register once."""
    constants = {register: int(value) for register, value in CONSTANT.findall(content)}
    return {constants.get(register) for register in TCGEN05_DESCRIPTOR.findall(content)}


def shown(values):
    return ", ".join("a variable" if v is None else hex(v) for v in values) or "none"


def kernels_in(stem, content, formats):
    """Yields the kernels of an object as stem/format (or mangled name if unknown) and their PTX."""
    _, *parts = ENTRY.split(content)
    for name, ptx in zip(parts[::2], parts[1::2]):
        # A type is mangled as its length, its name, and the E that ends its scope.
        known = [f for f in formats if f"{len(f)}{f}E".encode() in name]
        yield f"{stem}/{known[0] if len(known) == 1 else name.decode()}", ptx


def faults(objects, expected, expected_descriptors, others=None):
    """Yields one line per problem. `objects`: pairs of file stem and content."""
    others = others or {}
    missing = {*expected, *others}
    for stem, content in objects:
        if stem in others:
            missing.discard(stem)
            if found := {match.decode() for match in MATRIX_INSTRUCTION.findall(content)}:
                yield f"{stem}: has {', '.join(sorted(found))}, expected no matrix instruction"
            # Followed by an operand, as above.
            if not re.search(others[stem].encode() + rb"\s*(?:[\[{]\s*%|\w+, %)", content):
                yield f"{stem}: no {others[stem]} in its PTX, or no PTX in its object file"
            continue
        formats = [row.split("/")[1] for row in expected if row.startswith(stem + "/")]
        if not formats:
            yield f"{stem}: missing in the table of expected instructions"
        for kernel, ptx in kernels_in(stem, content, formats):
            missing.discard(kernel)
            yield from faults_of(kernel, ptx, expected, expected_descriptors)
    for row in sorted(missing):
        yield f"{row}: in the table of expected instructions, but not in the PTX of the object files"


def faults_of(kernel, ptx, expected, expected_descriptors):
    if kernel not in expected:
        yield f"{kernel}: missing in the table of expected instructions"
        return
    found = {match.decode() for match in MATRIX_INSTRUCTION.findall(ptx)}
    if not found:
        yield f"{kernel}: no matrix instruction in its PTX"
    for opcode in sorted(found):
        if not re.fullmatch(expected[kernel], opcode):
            yield f"{kernel}: has {opcode}, expected only {expected[kernel]}"
    given = descriptors(ptx)
    if given != expected_descriptors.get(kernel, set()):
        yield (f"{kernel}: has instruction descriptors {shown(given)}, expected "
               f"{shown(expected_descriptors.get(kernel, set()))}")


def self_test():
    """Checks that the check can fail."""
    rows = {"a/X": r"mma\.sync\.x", "a/Y": r"mma\.sync\.y"}
    x = b"\0.visible .entry _Z7ceilingI1XEvv() mma.sync.x {%f1}, {%r1};"
    y = b".visible .entry _Z7ceilingI1YEvv() mma.sync.y {%f1}, {%r1};\0"
    assert not list(faults([("a", x + y)], rows, {}))
    swapped = x.replace(b"sync.x", b"sync.y") + y.replace(b"sync.y", b"sync.x")
    assert len(list(faults([("a", swapped)], rows, {}))) == 2
    for wrong in [x.replace(b"mma.sync.x {", b"mma.sync.x printed "), x.replace(b"sync.x", b"sync.z"),
                  x + b"mma.sync.xy {%f1}", b""]:
        found = list(faults([("a", wrong + y)], rows, {}))
        assert len(found) == 1 and found[0].startswith("a/X: "), (wrong, found)
    assert len(list(faults([("a", x + y + x.replace(b"1X", b"1Z"))], rows, {}))) == 1
    assert len(list(faults([("a", x + y), ("b", b"")], rows, {}))) == 1
    other = {"o": r"cvt\.x"}
    assert not list(faults([("o", b"cvt.x a, %f1, %f2;")], {}, {}, other))
    assert not list(faults([("o", b"cvt.x {%f1, %f2};")], {}, {}, other))
    for wrong in [b"", b"cvt.x printed", b"cvt.xy a, %f1;", x + b"cvt.x a, %f1;"]:
        assert len(list(faults([("o", wrong)], {}, {}, other))) == 1, wrong
    rows = {"t/X": r"tcgen05\.mma\.x"}
    product = b".entry _Z1XE() mov.b32 %r2, 7; tcgen05.mma.x [%r1], %rd1, %rd2, %r2, p;"
    assert not list(faults([("t", product)], rows, {"t/X": {7}}))
    assert len(list(faults([("t", product)], rows, {"t/X": {8}}))) == 1
    assert len(list(faults([("t", product.replace(b"mov", b"add"))], rows, {"t/X": {7}}))) == 1


def main():
    self_test()
    paths = [pathlib.Path(argument) for argument in sys.argv[1:]]
    # The build system names them sm90a_x.cu.o or sm90a_x.o.
    objects = [(path.name.split(".")[0], path.read_bytes()) for path in paths]
    found = list(faults(objects, EXPECTED, DESCRIPTORS, OTHERS))
    print("\n".join(found) if found else f"{len(EXPECTED) + len(OTHERS)} kernels have their instruction")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
