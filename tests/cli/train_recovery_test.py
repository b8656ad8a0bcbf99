# SPDX-License-Identifier: Apache-2.0
"""`mansard train --recovery`: ranks that are killed and started again, as processes on the CPU.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v train_recovery_test"""

import csv
import os
import re
import signal
import time
import unittest

from rank_runs import RankRuns

PARTIAL = ["--recovery", "partial", "--sync-every", 5]


def last_saved(steps_done, every):
    """The steps after which the last file was written; a rank may be killed after a step, before its file."""
    return {steps_done // every * every, (steps_done - 1) // every * every}


class Recovery(RankRuns):
    def saving(self, every):
        return ["--checkpoints", self.checkpoints, "--checkpoint-every", every]

    def test_full_recovery_repeats_the_lost_steps_exactly(self):
        for options in ([], ["--shard-optimizer"]):
            undisturbed = self.losses("--steps", 60, "--ranks", 2, *options, log=f"undisturbed{len(options)}.csv")
            checkpoints = self.folder / f"c{len(options)}"
            log = self.folder / f"killed{len(options)}.csv"
            tables, messages = self.result(
                "--steps", 60, "--ranks", 2, *options, "--recovery", "full", "--checkpoints", checkpoints,
                "--checkpoint-every", 8, "--kill", "1@20", "--kill", "0@45", "--log", log)
            self.assertEqual(self.logged(log), undisturbed)
            first, second = tables["recoveries"]
            self.assertEqual((first["rank"], first["recovery"], first["cause"]), (1, "full", "signal 9"))
            self.assertGreaterEqual(first["failed_after"], 20)
            self.assertIn(first["failed_after"] - first["lost_steps"], last_saved(first["failed_after"], 8))
            self.assertEqual(second["rank"], 0)
            self.assertIn("starting all ranks again (restart 2 of at most 3)", messages)
            (row,) = tables["training"]
            self.assertEqual((row["failures"], row["lost_samples"]), (2, 0))

    def test_one_rank_recovers_too(self):
        undisturbed = self.losses("--steps", 60, log="undisturbed.csv")
        log = self.folder / "killed.csv"
        tables, _ = self.result("--steps", 60, "--recovery", "full", *self.saving(8), "--kill", "0@20", "--log", log)
        self.assertEqual(self.logged(log), undisturbed)
        self.assertEqual(tables["training"][0]["failures"], 1)

    def test_the_parts_of_a_recovery_add_up(self):
        tables, _ = self.result("--steps", 60, "--ranks", 2, "--recovery", "full", *self.saving(8),
                                "--kill", "1@20")
        (row,) = tables["recoveries"]
        self.assertAlmostEqual(row["restart_s"] + row["load_s"] + row["join_s"], row["down_s"], places=6)
        self.assertGreater(row["load_s"], 0)

    def test_replicas_go_on_without_the_failed_one(self):
        for sync in ("easgd", "average", "bmuf"):
            for rank in (0, 1):
                with self.subTest(sync=sync, rank=rank):
                    folder = self.folder / f"{sync}{rank}"
                    log = self.folder / f"{sync}{rank}.csv"
                    tables, messages = self.result(
                        "--steps", 300, "--ranks", 3, "--sync", sync, *PARTIAL, "--learning-rate", 3e-3,
                        "--checkpoints", folder, "--checkpoint-every", 20, "--kill", f"{rank}@50", "--log", log)
                    (recovery,) = tables["recoveries"]
                    self.assertEqual((recovery["rank"], recovery["recovery"]), (rank, "partial"))
                    (row,) = tables["training"]
                    self.assertAlmostEqual(row["lost_samples"], recovery["lost_steps"] / (3 * 300), places=4)
                    self.assertEqual(row["steps"], 300)
                    self.assertLess(row["validation_loss_nats"], 2, messages)  # 5.55 before, 1.1 undisturbed
                    with open(log, encoding="utf-8") as file:
                        steps = [int(line["step"]) for line in csv.DictReader(file)]
                    if rank == 0:  # the log has no lines for the steps that it has missed
                        self.assertEqual(len(steps), len(set(steps)))
                        # It may be killed between a step and its line.
                        self.assertAlmostEqual(len(steps), 300 - recovery["missed_steps"], delta=1)
                    else:
                        self.assertEqual(steps, list(range(300)))
                    self.assertRegex(messages, f"rank {rank} continues after step ")
                    self.assertEqual(sorted(p.name for p in folder.glob("step-*")),
                                     ["step-00000280.safetensors", "step-00000300.safetensors"])

    def test_a_replica_continues_from_its_own_checkpoint(self):
        tables, messages = self.result(
            "--steps", 200, "--ranks", 2, "--sync", "average", *PARTIAL, "--recover-from", "checkpoint",
            *self.saving(30), "--kill", "1@100")
        (recovery,) = tables["recoveries"]
        restored = int(re.search(r"resumed after step (\d+) from '.*replica-1/", messages)[1])
        self.assertIn(restored, last_saved(recovery["failed_after"], 30))
        self.assertEqual(recovery["lost_steps"], recovery["failed_after"] - restored)

    def test_steps_are_lost_only_once(self):
        """Between two checkpoints, a replica fails twice, and goes back to the same state."""
        tables, _ = self.result(
            "--steps", 260, "--ranks", 2, "--sync", "average", *PARTIAL, "--recover-from", "checkpoint",
            *self.saving(100), "--kill", "1@130", "--kill", "1@160")
        first, second = tables["recoveries"]
        self.assertIn(first["failed_after"] - first["lost_steps"], last_saved(first["failed_after"], 100))
        if second["failed_after"] < 200:
            self.assertLess(second["lost_steps"], second["failed_after"] - 100)
            # It may continue some steps behind its first failure, and do those again.
            self.assertLessEqual(second["lost_steps"], second["failed_after"] - first["failed_after"] + 15)

    def test_without_a_checkpoint_a_replica_takes_the_weights_of_the_others(self):
        tables, messages = self.result(
            "--steps", 100, "--ranks", 2, "--sync", "easgd", *PARTIAL, "--recover-from", "checkpoint",
            *self.saving(90), "--kill", "1@30", "--learning-rate", 3e-3)
        (recovery,) = tables["recoveries"]
        self.assertLessEqual(recovery["lost_steps"], 15, "since its last synchronization")
        self.assertLess(tables["training"][0]["validation_loss_nats"], 3)

    def test_rows_of_the_embedding_are_saved_between_checkpoints(self):
        for rule in ("mfu", "ssu", "scar"):
            with self.subTest(rule=rule):
                folder = self.folder / rule
                tables, messages = self.result(
                    "--steps", 200, "--ranks", 2, "--sync", "average", *PARTIAL, "--recover-from", "checkpoint",
                    "--checkpoints", folder, "--checkpoint-every", 40, "--save-rows", rule, "--kill", "1@50")
                # A file after every eighth of 40 steps.
                match = re.search(r"resumed after step (\d+) from '.*replica-1/.*', with rows of the embedding after "
                                  r"step (\d+)", messages)
                self.assertTrue(match, messages)
                failed_after = tables["recoveries"][0]["failed_after"]
                self.assertIn(int(match[2]), last_saved(failed_after, 5))
                self.assertIn(int(match[1]), last_saved(failed_after, 40))
                self.assertFalse(list(folder.glob("**/rows-*")), "the last checkpoint has all rows")

    def test_random_failures_at_any_time(self):
        """Ranks are killed while they train, start, load and save."""
        for mode, kill_every in ((["full"], 1.5), (["partial", "--sync", "average"], 0.7),
                                 (["partial", "--sync", "easgd"], 0.7)):
            with self.subTest(mode=mode):
                tables, messages = self.result(
                    "--steps", 300, "--ranks", 3, "--recovery", *mode, "--checkpoints", self.folder / mode[-1],
                    "--checkpoint-every", 10, "--kill-every", kill_every, "--max-restarts", 1000, "--seed", 3)
                self.assertEqual(tables["training"][0]["steps"], 300, messages)

    def test_restarts_are_limited(self):
        started = time.monotonic()
        run = self.train("--steps", 100000, "--ranks", 3, "--sync", "average", *PARTIAL, *self.saving(1000),
                         "--max-restarts", 1, "--kill", "1@30", "--kill", "2@100")
        self.assertEqual(run.returncode, 128 + signal.SIGKILL, run.stderr)
        self.assertIn("no restart is left of --max-restarts 1", run.stderr)
        self.assertLess(time.monotonic() - started, 30)
        self.assertEqual(len(list(self.checkpoints.glob("step-*"))), 1, "the others save what they have")

    def test_an_error_at_the_start_is_not_repeated(self):
        data = self.folder / "short.txt"
        data.write_text("short")
        run = self.train("--ranks", 2, "--recovery", "full", *self.saving(5), "--data", data)
        self.assertNotIn("restart", run.stderr)
        self.assertNotEqual(run.returncode, 0)

    def test_an_interrupt_ends_the_job_also_while_a_rank_is_missing(self):
        for delay_s in (0, 0.02, 0.2):
            with self.subTest(delay_s=delay_s):
                folder = self.folder / f"c{delay_s}"
                process = self.start("--steps", 1000000, "--ranks", 3, "--sync", "average", *PARTIAL,
                                     "--checkpoints", folder)
                os.kill(self.ranks_of(process)[1], signal.SIGKILL)
                time.sleep(delay_s)
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, 0, errors)
                self.assertEqual(len(list(folder.glob("step-*"))), 1, errors)

    def test_a_killed_rank_does_not_stop_the_others(self):
        process = self.start("--steps", 100000, "--ranks", 2, "--sync", "easgd", *PARTIAL, *self.saving(50))
        for _ in range(2):
            os.kill(self.ranks_of(process)[-1], signal.SIGKILL)
            self.read_until(process, "all ranks are connected again")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)

    def test_the_interval_of_checkpoints_follows_from_failures(self):
        # Young's formula as a check: sqrt(2 save_s mtbf_s), with 36 s between failures of the job.
        tables, messages = self.result("--steps", 600, "--ranks", 2, "--recovery", "full", "--checkpoints",
                                       self.checkpoints, "--mtbf-hours", 0.02)
        intervals = re.findall(r"saving a checkpoint every ([\d,]+) steps", messages)
        self.assertTrue(intervals, messages)
        self.assertIn("a rank fails every 36.0 s", messages)
        (row,) = tables["training"]
        young = (2 * row["save_s"] * 36) ** 0.5 / row["step_s"]
        steps = int(intervals[-1].replace(",", ""))
        self.assertGreater(steps, young / 4)  # times vary, and they are those when the interval changed
        self.assertLess(steps, 4 * young)

    def test_impossible_requests_are_usage_errors(self):
        for arguments, variables, text in (
                (["--ranks", 2, "--recovery", "full"], {}, "--recovery full needs --checkpoints"),
                (["--ranks", 2, "--recovery", "full", "--checkpoints", self.checkpoints], {}, "--checkpoint-every"),
                (["--ranks", 2, "--recovery", "partial", *self.saving(5)], {}, "--sync easgd, average or bmuf"),
                (["--ranks", 2, "--recovery", "full", *self.saving(5), "--save-rows", "mfu"], {}, "--save-rows mfu"),
                (["--ranks", 2, "--kill", "2@5"], {}, "--kill '2@5'"),
                (["--ranks", 2, "--kill", "1"], {}, "--kill '1'"),
                (["--ranks", 2, "--mtbf-hours", 1, *self.saving(5)], {}, "--mtbf-hours"),
                (["--recovery", "full", *self.saving(5)], {"RANK": "0", "WORLD_SIZE": "2"}, "torchrun"),
                (["--recovery", "partial", "--sync", "easgd", *self.saving(5)], {}, "--ranks 2")):
            with self.subTest(arguments=arguments):
                run = self.train(*arguments, env=os.environ | variables)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn(text, run.stderr)


if __name__ == "__main__":
    unittest.main()
