# SPDX-License-Identifier: Apache-2.0
"""`mansard train` on the CPU: losses, resuming, recipes, and errors.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v train_test"""

import csv
import json
import os
import pathlib
import random
import signal
import sqlite3
import struct
import subprocess
import tempfile
import time
import unittest

MANSARD = os.environ["MANSARD"]


def sizes(**changes):
    values = {"hidden": 32, "layers": 2, "heads": 2, "ffn": 64, "batch": 4, "sequence": 32, "device": "cpu"}
    return [str(word) for key, value in (values | changes).items() for word in ("--" + key.replace("_", "-"), value)]


SIZES = sizes()


class Train(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        words = random.Random(1)
        self.data = self.folder / "data.txt"
        self.data.write_text(" ".join(words.choice(["roof", "line", "of", "the", "machine"])
                                      for _ in range(6000)))

    def train(self, *arguments, data=None, sizes=SIZES):
        return subprocess.run(
            [MANSARD, "train", "--data", data or self.data, *sizes, *map(str, arguments)],
            capture_output=True, text=True)

    def losses(self, *arguments, log="log.csv", **options):
        log = self.folder / log
        result = self.train(*arguments, "--log", log, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(log, encoding="utf-8") as file:
            return [{key: row[key] for key in ("step", "loss", "validation_loss", "gradient_norm")}
                    for row in csv.DictReader(file)]

    def refused(self, *arguments, code=1, text, **options):
        result = self.train(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(text, result.stderr)

    def test_the_loss_falls(self):
        rows = self.losses("--steps", 60, "--learning-rate", 3e-3, "--validate-every", 30)
        self.assertEqual([row["step"] for row in rows], [str(i) for i in range(60)])
        self.assertAlmostEqual(float(rows[0]["loss"]), 5.55, delta=0.1)  # ln(256)
        self.assertLess(float(rows[-1]["loss"]), 2.5)
        self.assertLess(float(rows[-1]["validation_loss"]), 2.5)
        self.assertEqual([row["step"] for row in rows if row["validation_loss"]], ["29", "59"])

    def test_every_recipe_trains(self):
        plain = self.losses("--steps", 12)
        for recipe in ("fp8", "fp8_delayed", "fp8_block", "mxfp8", "nvfp4", "mor_tensor", "mor_block"):
            rows = self.losses("--steps", 12, "--recipe", recipe, log=f"{recipe}.csv")
            self.assertAlmostEqual(float(rows[-1]["loss"]), float(plain[-1]["loss"]), delta=0.1, msg=recipe)
            self.assertNotEqual(rows[-1]["loss"], plain[-1]["loss"], recipe)

    def test_mor_reports_its_choices(self):
        for recipe in ("mor_tensor", "mor_block"):
            for threshold, in_fp8 in ((0, 0), (1, 1)):
                log = self.folder / "mor.csv"
                result = self.train("--steps", 4, "--recipe", recipe, "--mor-threshold", threshold,
                                    "--validate-every", 2, "--log", log, "-f", "--format", "json")
                row = json.loads(result.stdout)["findings"][0]["tables"][0]["rows"][0]
                self.assertEqual(row["fp8"], in_fp8, (recipe, threshold))
                with open(log, encoding="utf-8") as file:
                    rows = list(csv.DictReader(file))
                self.assertEqual([r["bf16"] for r in rows], ["", str(1 - in_fp8), "", str(1 - in_fp8)])

    def record(self, name, *arguments, code=0):
        """The rows of the two tables of a record, as dictionaries."""
        file = self.folder / name
        result = self.train(*arguments, "--record", file)
        self.assertEqual(result.returncode, code, result.stderr)
        database = sqlite3.connect(file)
        self.addCleanup(database.close)
        database.row_factory = sqlite3.Row
        tensors = database.execute("SELECT t.*, s.value AS layer FROM MANSARD_TENSOR_NUMERICS t "
                                   "JOIN StringIds s ON s.id = t.layerId ORDER BY eventId").fetchall()
        steps = database.execute("SELECT * FROM MANSARD_TRAINING_STEP ORDER BY eventId").fetchall()
        self.assertEqual(database.execute("SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 34").fetchone()[0],
                         len(tensors) + len(steps))
        self.assertEqual(database.execute("SELECT state FROM MANSARD_STATE").fetchone()[0], "complete")
        return [dict(row) for row in tensors], [dict(row) for row in steps]

    # Rounding to E4M3 has a ratio of 31.5 dB for normal data, to E5M2 6 dB less; E2M1 with scales per 16
    # elements about 20 dB, and stochastic rounding of dy 3 dB less. Delayed scaling starts with a scale of 1, with
    # which small elements underflow.
    def test_numerics_record(self):
        ranges = {"nvfp4": {"x": (18, 24), "W": (18, 21), "dy": (14, 19)},
                  "fp8": {"x": (29, 35), "W": (29, 35), "dy": (23, 29)},
                  "fp8_delayed": {"x": (29, 35), "W": (29, 35), "dy": (23, 29)},
                  "mxfp8": {"x": (29, 35), "W": (29, 35), "dy": (29, 35)},
                  "mor_tensor": {"x": (25, 35), "W": (25, 35), "dy": (20, 35)}}
        for recipe in (*ranges, "bf16"):
            arguments = ("--steps", 6, "--recipe", recipe, "--numerics", 2)
            tensors, steps = self.record(f"{recipe}.sqlite", *arguments, "--validate-every", 3)
            self.assertEqual(sorted({row["step"] for row in tensors}), [0, 2, 4, 5], recipe)
            # Two blocks of two parts of two layers; three GEMMs of two operands.
            self.assertEqual(len(tensors), 4 * 8 * 6)
            self.assertEqual(tensors[0]["layer"], "layers.0.attention.in")
            self.assertEqual([(row["tensor"], row["gemm"]) for row in tensors[:6]],
                             [("x", "fprop"), ("W", "fprop"), ("dy", "dgrad"), ("W", "dgrad"), ("dy", "wgrad"),
                              ("x", "wgrad")])
            for row in tensors:
                self.assertGreater(row["rms"], 0)
                self.assertGreaterEqual(row["amax"], row["rms"])
                if recipe == "bf16":
                    self.assertEqual((row["format"], row["snrDb"], row["underflow"]), ("bf16", None, None))
                    continue
                low, high = ranges[recipe][row["tensor"]]
                if recipe == "fp8_delayed" and row["step"] == 0:
                    low = 5
                self.assertTrue(low < row["snrDb"] < high, dict(row))
                self.assertEqual(row["saturated"] is None, recipe.startswith("mor"))
                self.assertEqual(row["e4m3"] is None, not recipe.startswith("mor"))
                if recipe.startswith("mor"):
                    self.assertIsNone(row["format"])
                    self.assertEqual(row["e4m3"] + row["e5m2"] + row["bf16"], 1)
            self.assertEqual([row["step"] for row in steps], list(range(6)))
            self.assertEqual([row["tokens"] for row in steps], [128 * (i + 1) for i in range(6)])
            self.assertEqual([row["validationLoss"] is not None for row in steps],
                             [False, False, True, False, False, True])

    def test_numerics_change_no_bit(self):
        for recipe in ("nvfp4", "fp8_delayed", "mor_block"):
            arguments = ("--steps", 6, "--recipe", recipe, "--micro-batches", 2, "--recompute", "--deterministic",
                         "--validate-every", 3, "--then", "bf16@5")
            plain = self.losses(*arguments, log=f"{recipe}.csv")
            measured = self.losses(*arguments, "--numerics", 1, "--record", self.folder / f"{recipe}.sqlite",
                                   log=f"{recipe}-numerics.csv")
            self.assertEqual(plain, measured)
            with open(self.folder / f"{recipe}-numerics.csv", encoding="utf-8") as file:
                log = list(csv.DictReader(file))
            with sqlite3.connect(self.folder / f"{recipe}.sqlite") as database:
                rows = database.execute("SELECT loss, gradientNorm FROM MANSARD_TRAINING_STEP ORDER BY step").fetchall()
            for row, (loss, norm) in zip(log, rows, strict=True):
                self.assertAlmostEqual(float(row["loss"]), loss, delta=1e-7)
                self.assertAlmostEqual(float(row["gradient_norm"]), norm, delta=1e-7)

    def test_record_without_numerics_has_losses_only(self):
        file = self.folder / "loss.sqlite"
        self.assertEqual(self.train("--steps", 2, "--record", file).returncode, 0)
        with sqlite3.connect(file) as database:
            names = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
        self.assertIn("MANSARD_TRAINING_STEP", names)
        self.assertNotIn("MANSARD_TENSOR_NUMERICS", names)

    def test_record_is_replaced_with_force_only(self):
        file = self.folder / "old.sqlite"
        file.write_text("mine")
        self.refused("--steps", 2, "--record", file, text="-f")
        self.assertEqual(file.read_text(), "mine")
        self.record("old.sqlite", "--steps", 2, "--recipe", "fp8", "--numerics", 1, "-f")
        self.refused("--steps", 2, "--record", self.folder / "no" / "a.sqlite", text="does not exist")

    def test_numerics_need_a_reader(self):
        self.refused("--steps", 2, "--numerics", 1, code=2, text="--record")
        self.refused("--steps", 2, "--numerics", 0, code=2, text="--numerics")

    # The gradient of step 1 is not finite; its numerics say so.
    def test_record_of_a_diverged_run_is_readable(self):
        file = self.folder / "diverged.sqlite"
        self.refused("--steps", 20, "--learning-rate", 1e30, "--warmup", 0, "--clip", 0, "--numerics", 1, "--record",
                     file, text="the loss is")
        with sqlite3.connect(file) as database:
            self.assertEqual(database.execute("SELECT state FROM MANSARD_STATE").fetchone()[0], "interrupted")
            last = database.execute("SELECT max(step) FROM MANSARD_TRAINING_STEP").fetchone()[0]
            measured = database.execute("SELECT max(step) FROM MANSARD_TENSOR_NUMERICS").fetchone()[0]
            self.assertEqual(measured, last + 1)
            self.assertGreater(database.execute("SELECT count(*) FROM MANSARD_TENSOR_NUMERICS WHERE rms IS NULL")
                               .fetchone()[0], 0)

    def test_profile_has_the_marks(self):
        file = self.folder / "profile.sqlite"
        result = subprocess.run(
            [MANSARD, "profile", "-o", file, "--", MANSARD, "train", "--data", self.data, *SIZES, "--steps", "3",
             "--recipe", "nvfp4", "--numerics", "2"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        with sqlite3.connect(file) as database:
            self.assertEqual(database.execute("SELECT count(*), min(step), max(step) FROM MANSARD_TENSOR_NUMERICS")
                             .fetchone(), (2 * 8 * 6, 0, 2))
            self.assertEqual(database.execute("SELECT count(*) FROM MANSARD_TRAINING_STEP").fetchone()[0], 3)

    def test_record_can_be_analyzed(self):
        file = self.folder / "record.sqlite"
        self.assertEqual(self.train("--steps", 2, "--recipe", "fp8", "--numerics", 1, "--record", file).returncode, 0)
        for command in (["analyze", file], ["report", file, "-o", self.folder / "report.html"]):
            result = subprocess.run([MANSARD, *map(str, command)], capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_later_recipe_starts_at_its_step(self):
        plain = self.losses("--steps", 8)
        rows = self.losses("--steps", 8, "--then", "nvfp4@4", log="then.csv")
        self.assertEqual(rows[:4], plain[:4])
        self.assertNotEqual(rows[4:], plain[4:])

    def test_all_blocks_in_bf16_is_bf16(self):
        plain = self.losses("--steps", 4)
        self.assertEqual(self.losses("--steps", 4, "--recipe", "nvfp4", "--bf16-last", 2, log="b.csv"), plain)

    def test_nvfp4_without_one_part_differs(self):
        whole = self.losses("--steps", 4, "--recipe", "nvfp4")
        for flag in ("--no-hadamard", "--no-stochastic-rounding", "--weights-1d"):
            rows = self.losses("--steps", 4, "--recipe", "nvfp4", flag, log=f"{flag}.csv")
            self.assertNotEqual(rows[-1], whole[-1], flag)

    def test_the_rounding_seed_changes_only_stochastic_rounding(self):
        options = ("--steps", 4, "--recipe", "nvfp4")
        seeded = {seed: self.losses(*options, "--rounding-seed", seed, log=f"{seed}.csv") for seed in (1, 2)}
        self.assertEqual(seeded[1], self.losses(*options))  # --seed is 1
        self.assertEqual(seeded[2][0]["loss"], seeded[1][0]["loss"])  # before the first gradient
        self.assertNotEqual(seeded[2][-1], seeded[1][-1])
        plain = self.losses("--steps", 4, log="bf16.csv")
        self.assertEqual(self.losses("--steps", 4, "--rounding-seed", 2, log="bf16_2.csv"), plain)

    def test_separate_amax_changes_no_bit(self):
        plain = self.losses("--steps", 4, "--recipe", "fp8")
        self.assertEqual(self.losses("--steps", 4, "--recipe", "fp8", "--separate-amax", log="separate.csv"), plain)

    def test_a_killed_run_continues_bit_for_bit(self):
        arguments = ("--steps", 40, "--recipe", "nvfp4", "--checkpoint-every", 4, "--validate-every", 10)
        whole = self.losses(*arguments, "--checkpoints", self.folder / "whole")
        folder = self.folder / "killed"
        log = self.folder / "killed.csv"
        process = subprocess.Popen(
            [MANSARD, "train", "--data", self.data, *SIZES, *map(str, arguments), "--checkpoints", folder, "--log",
             log], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not list(folder.glob("step-0000000*.safetensors")):
            time.sleep(0.01)
        process.kill()
        process.wait()
        self.assertLess(len(log.read_text().splitlines()), 41, "the run ended before it was killed")
        rows = self.losses(*arguments, "--checkpoints", folder, "--resume", log="killed.csv")
        self.assertEqual(rows, whole)
        self.assertEqual([f.name for f in sorted(folder.iterdir())],
                         ["step-00000036.safetensors", "step-00000040.safetensors"])

    def test_interruption_saves_a_checkpoint(self):
        folder = self.folder / "checkpoints"
        log = self.folder / "log.csv"
        process = subprocess.Popen(
            [MANSARD, "train", "--data", self.data, *SIZES, "--steps", "100000", "--checkpoints", folder, "--log", log],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not log.exists() or len(log.read_text().splitlines()) < 3:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertIn("continue with --resume", process.communicate()[1])
        self.assertEqual(process.returncode, 130)
        self.assertEqual(len(list(folder.glob("*.safetensors"))), 1)

    def test_checkpoints_are_safetensors(self):
        folder = self.folder / "checkpoints"
        self.losses("--steps", 2, "--checkpoints", folder)
        content = (folder / "step-00000002.safetensors").read_bytes()
        length = struct.unpack("<Q", content[:8])[0]
        header = json.loads(content[8:8 + length])
        self.assertEqual(header["__metadata__"]["mansard.step"], "2")
        self.assertEqual(header["model.layers.1.self_attn.k_proj.weight"]["shape"], [32, 32])
        self.assertEqual(header["model.embed_tokens.weight"]["shape"], [256, 32])
        end = max(entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__")
        self.assertEqual(len(content), 8 + length + end)

    def test_damaged_and_foreign_checkpoints(self):
        folder = self.folder / "checkpoints"
        resume = ("--steps", 4, "--checkpoints", folder, "--resume")
        self.losses("--steps", 2, "--checkpoints", folder)
        file = folder / "step-00000002.safetensors"
        good = file.read_bytes()
        damaged = bytearray(good)
        damaged[-100] ^= 1
        for content, text in ((bytes(damaged), "does not match its checksum"), (good[:-8], "truncated or damaged"),
                              (good[:100], "truncated"), (b"", "no header"), (b"x" * 4096, "not a safetensors file"),
                              (struct.pack("<Q", 2) + b"{}", "not a checkpoint of 'mansard train'")):
            file.write_bytes(content)
            self.refused(*resume, text=text)
            self.refused(*resume, text=str(file))
        file.write_bytes(good)
        self.refused(*resume, sizes=sizes(hidden=64), text="another model")
        self.refused(*resume, "--recipe", "fp8", text="another recipe")
        self.refused(*resume, "--seed", 2, text="another seed")
        self.refused(*resume, "--rounding-seed", 2, text="rounding seed 2")
        other = self.folder / "other.txt"
        other.write_text("other text " * 4000)
        self.refused(*resume, data=other, text="another training data")
        self.refused("--steps", 4, "--checkpoints", folder, text="continue with --resume")
        self.losses(*resume)

    def test_bad_options(self):
        self.refused(sizes=sizes(heads=5), code=2, text="not a multiple of --heads 5")
        self.refused(sizes=sizes(heads=4, kv_heads=3), code=2, text="multiple of the number of KV heads")
        self.refused(sizes=sizes(sequence=5, batch=1), code=2, text="multiple of 16")
        self.refused("--then", "bf16", code=2, text="such as bf16@900")
        self.refused("--then", "bf17@3", code=2, text="such as bf16@900")
        self.refused("--vocabulary", 100, code=2, text="256 different tokens")
        self.refused("--heads", 2, "--blocks", "2xB3", code=2, text="2xB3", sizes=["--device", "cpu"])
        self.refused("--resume", code=2, text="--checkpoints")
        empty = self.folder / "empty"
        empty.mkdir()
        self.refused(data=empty, text=str(empty))
        self.refused(data=self.folder / "missing", text="missing")
        (self.folder / "log.csv").write_text("mine")
        self.refused("--steps", 1, "--log", self.folder / "log.csv", text="-f")
        self.assertEqual((self.folder / "log.csv").read_text(), "mine")

    def test_irregular_blocks(self):
        sizes = ["--hidden", "64", "--heads", "4", "--kv-heads", "2", "--batch", "2", "--sequence", "32", "--device",
                 "cpu", "--blocks", "1xA1.5 1x-0.5 1xNone 1xA0.25"]
        rows = self.losses("--steps", 3, "--recipe", "fp8", sizes=sizes)
        self.assertEqual(len(rows), 3)

    def test_json_result(self):
        result = self.train("--steps", 3, "--format", "json")
        row = json.loads(result.stdout)["findings"][0]["tables"][0]["rows"][0]
        self.assertEqual((row["steps"], row["tokens"], row["recipe"]), (3, 384, "bf16"))
        self.assertIsNone(row["mfu"])


if __name__ == "__main__":
    unittest.main()
