# SPDX-License-Identifier: Apache-2.0
"""mansard profile --pytorch, with a fake torch (tests/fixtures/fake_torch)."""

import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import unittest

from sanitizer import records_other_programs

MANSARD = os.environ["MANSARD"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
FAKE = f"{ROOT}/tests/fixtures/fake_torch:{ROOT}/kernels/annotation"

MODEL = """
    import torch

    class Linear(torch.Module):
        def forward(self, x):
            return torch.operation(x)

    class Mlp(torch.Module):
        def __init__(self):
            self.up, self.down = Linear(), Linear()
        def forward(self, x):
            return self.down(self.up(x))

    class Layer(torch.Module):
        def __init__(self):
            self.norm, self.mlp = Linear(), Mlp()
        def forward(self, x):
            return {"hidden": torch.operation(x, self.mlp(x=self.norm(x)))}

    class Model(torch.Module):
        def __init__(self):
            self.layers = [Layer(), Layer()]
        def forward(self, x):
            for layer in self.layers:
                x = layer(x)["hidden"]
            return x
"""


@records_other_programs(MANSARD)
class PyTorch(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def profile(self, mode, program, **variables):
        """Runs the program and returns its ranges: texts, each with the depth in which it was open."""
        script = self.folder / "program.py"
        script.write_text(textwrap.dedent(program))
        environment = dict(os.environ, PYTHONPATH=FAKE, **variables)
        result = subprocess.run(
            [MANSARD, "profile", "-f", "-o", self.folder / "run.sqlite", "--pytorch", mode, "--", sys.executable,
             script], env=environment, text=True, capture_output=True, check=False, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.out, self.err = result.stdout, result.stderr
        if not (self.folder / "run.sqlite").exists():
            return []
        with sqlite3.connect(self.folder / "run.sqlite") as db:
            rows = db.execute("SELECT coalesce(text, (SELECT value FROM StringIds WHERE id = textId)), start, end "
                              "FROM NVTX_EVENTS WHERE eventType = 59 ORDER BY start, end DESC, rowid").fetchall()
        open_until, texts = [], []
        for text, start, end in rows:
            self.assertIsNotNone(end, f"{text} is never closed")
            while open_until and open_until[-1] <= start:
                open_until.pop()
            texts.append("  " * len(open_until) + text)
            open_until.append(end)
        return texts

    def test_modules_are_named_by_their_paths_in_both_passes(self):
        ranges = self.profile("modules", MODEL + """
    from torch.optim import AdamW
    model, optimizer = Model(), AdamW()
    for _ in range(2):
        model(torch.Tensor()).backward()
        optimizer.step()
        """)
        step = """
Model
  layers.0
    layers.0.norm
    layers.0.mlp
      layers.0.mlp.up
      layers.0.mlp.down
  layers.1
    layers.1.norm
    layers.1.mlp
      layers.1.mlp.up
      layers.1.mlp.down
Model (backward)
  layers.1 (backward)
    layers.1.mlp (backward)
      layers.1.mlp.down (backward)
      layers.1.mlp.up (backward)
    layers.1.norm (backward)
  layers.0 (backward)
    layers.0.mlp (backward)
      layers.0.mlp.down (backward)
      layers.0.mlp.up (backward)
    layers.0.norm (backward)
Optimizer.step#AdamW.step""".splitlines()[1:]
        self.assertEqual(ranges, step + step)
        self.assertNotIn("mansard: ", self.err.replace("mansard: " + str(self.folder), ""))

    def test_inference_has_no_backward_ranges(self):
        ranges = self.profile("modules", MODEL + """
    torch._grad[0] = False
    Mlp()(torch.Tensor())
        """)
        self.assertEqual(ranges, ["Mlp", "  up", "  down"])

    def test_compiled_code_has_no_ranges(self):
        ranges = self.profile("modules", MODEL + """
    class Compiled(torch.Module):
        def __init__(self):
            self._orig_mod = Mlp()
        def forward(self, x):
            torch.compiler.compiling = True
            x = self._orig_mod(x)
            torch.compiler.compiling = False
            return x
    Compiled()(torch.Tensor()).backward()
        """)
        self.assertEqual(ranges, ["Compiled", "Compiled (backward)"])

    def test_an_exception_in_a_module_closes_its_ranges(self):
        ranges = self.profile("modules", MODEL + """
    class Broken(torch.Module):
        def __init__(self):
            self.inner = Linear()
        def forward(self, x):
            return self.inner()
    try:
        Broken()(torch.Tensor())
    except TypeError:
        print("caught")
    Mlp()(torch.Tensor())
        """)
        self.assertEqual(self.out, "caught\n")
        self.assertEqual(ranges, ["Broken", "  inner", "Mlp", "  up", "  down"])

    def test_a_fault_of_the_ranges_does_not_reach_the_program(self):
        self.profile("modules", MODEL + """
    def fault(_):
        raise RuntimeError("no ranges today")
    torch.cuda.nvtx.range_push("before")
    torch.cuda.nvtx.range_pop()
    Model.named_modules = fault
    Model()(torch.Tensor()).backward()
    print("done")
        """)
        self.assertEqual(self.out, "done\n")
        self.assertEqual(self.err.count("ranges of --pytorch modules end here"), 1, self.err)
        self.assertIn("no ranges today", self.err)

    def test_operators_follow_the_profiler_until_the_program_has_one(self):
        for mode, shapes in (("nvtx", False), ("shapes", True)):
            self.profile(mode, """
                import torch
                from torch import autograd
                profiler = autograd.profiler
                print(profiler.active)
                profiler._prepare_profiler(("kineto", True), set())
                profiler._enable_profiler(("kineto", True), set())
                print(profiler.active)
            """)
            self.assertEqual(self.out, f"[('nvtx', {shapes})]\n[('kineto', True)]\n")
            self.assertEqual(self.err.count("profiler of its own"), 1, self.err)

    def test_the_program_starts_as_without_mansard(self):
        (self.folder / "sitecustomize.py").write_text("print('my own')\n")
        script = """
            import sys
            print([path for path in sys.path if "mansard-python" in path], "torch" in sys.modules)
            import sitecustomize
            print(sitecustomize.__file__)
        """
        global FAKE
        before, FAKE = FAKE, f"{self.folder}:{FAKE}"
        try:
            self.profile("modules", script)
        finally:
            FAKE = before
        self.assertEqual(self.out, f"my own\n[] False\n{self.folder}/sitecustomize.py\n")

    def test_says_why_it_has_no_effect(self):
        self.profile("modules", "import torch", FAKE_TORCH_CUDA="")
        self.assertIn("mansard: --pytorch modules has no effect: this PyTorch was built without CUDA", self.err)

    def test_refuses_unknown_ranges(self):
        result = subprocess.run([MANSARD, "profile", "--pytorch", "layers", "--", "true"], text=True,
                                capture_output=True, check=False, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn("nvtx", result.stderr)


if __name__ == "__main__":
    unittest.main()
