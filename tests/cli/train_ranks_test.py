# SPDX-License-Identifier: Apache-2.0
"""`mansard train` with several processes as ranks on the CPU: results, launchers, failures.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v train_ranks_test"""

import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import time
import unittest

from rank_runs import MANSARD, RankRuns

LAUNCHERS = {
    "torchrun": ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    "Open MPI": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                 "OMPI_COMM_WORLD_LOCAL_SIZE"),
    "Slurm": ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", None),
    "PMI": ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class TrainRanks(RankRuns):
    def assert_close(self, a, b):
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertAlmostEqual(x, y, delta=2e-5 * x)

    def test_ranks_train_as_one_with_more_micro_batches(self):
        alone = self.losses("--steps", 10, "--micro-batches", 3, log="alone.csv")
        self.assert_close(alone, self.losses("--steps", 10, "--ranks", 3, log="ranks.csv"))
        self.assert_close(alone, self.losses("--steps", 10, "--ranks", 3, "--shard-optimizer", "--bucket-mib", 0.01,
                                             log="sharded.csv"))

    def test_the_result_counts_all_ranks(self):
        tables, messages = self.result("--steps", 4, "--ranks", 2)
        (row,) = tables["training"]
        self.assertEqual(row["ranks"], 2)
        self.assertEqual(row["tokens"], 4 * 2 * 2 * 32)
        self.assertIn("2 ranks, connected with TCP", messages)
        self.assertEqual(messages.count("step 4/4"), 1)

    def test_replicas_are_synchronized(self):
        for sync in ("easgd", "average", "bmuf"):
            for where in ([], ["--foreground-sync"]):
                tables, messages = self.result("--steps", 40, "--ranks", 2, "--sync", sync, "--sync-every", 4,
                                               "--learning-rate", 3e-3, *where)
                (row,) = tables["training"]
                self.assertEqual(row["tokens"], 40 * 2 * 2 * 32)
                self.assertLess(row["validation_loss_nats"], 4.5, (sync, where))  # 5.55 before
                self.assertLessEqual(row["syncs"], 11, "every fourth step, and the last")
                if where:
                    self.assertEqual(row["syncs"], 11)
                    self.assertEqual(row["staleness_steps"], 0)
                self.assertIn(f"2 replicas, synchronized every 4 steps in the "
                              f"{'foreground' if where else 'background'} ({sync})", messages)

    def test_replicas_stop_together(self):
        process = self.start("--steps", 100000, "--ranks", 2, "--sync", "average", "--checkpoints",
                             self.folder / "c")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        self.assertEqual(len(list((self.folder / "c").glob("step-*.safetensors"))), 1)

    def test_a_sharded_optimizer_needs_exchanged_gradients(self):
        result = self.train("--ranks", 2, "--sync", "bmuf", "--shard-optimizer")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--shard-optimizer needs --sync gradients", result.stderr)

    def test_ranks_of_each_launcher(self):
        expected = self.losses("--steps", 5, "--ranks", 2)
        for name, (rank_name, size_name, local_name, local_size_name) in LAUNCHERS.items():
            log = self.folder / f"{name}.csv"
            port = free_port()
            processes = []
            for rank in range(2):
                variables = {rank_name: str(rank), size_name: "2", local_name: str(rank)}
                if local_size_name:
                    variables[local_size_name] = "2"
                if name == "torchrun":
                    variables |= {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port - 1)}
                options = ["--rendezvous", f"127.0.0.1:{port}"] if name == "Slurm" else []
                # Each in a shell of its own: the parent is not the launcher.
                processes.append(subprocess.Popen(["sh", "-c", '"$@"; exit $?', "sh",
                                                   *self.command("--steps", 5, "--log", log, *options)],
                                                  env=os.environ | variables, stderr=subprocess.PIPE, text=True,
                                                  stdout=subprocess.DEVNULL))
            for process in processes:
                _, errors = process.communicate(timeout=100)
                self.assertEqual(process.returncode, 0, (name, errors))
            self.assertEqual(self.logged(log), expected, name)

    def test_checkpoints_continue_with_another_number_of_ranks(self):
        expected = self.losses("--steps", 8, "--micro-batches", 2, log="alone.csv")
        checkpoints = ["--checkpoints", self.folder / "c", "--checkpoint-every", 4]
        result = self.train("--steps", 8, "--ranks", 2, "--shard-optimizer", *checkpoints)
        self.assertEqual(result.returncode, 0, result.stderr)
        (self.folder / "c" / "step-00000008.safetensors").unlink()
        result = self.train("--steps", 8, "--micro-batches", 2, *checkpoints, "--resume", "--log",
                            self.folder / "resumed.csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("resumed after step 4", result.stderr)
        self.assert_close(self.logged(self.folder / "resumed.csv"), expected[4:])

    def test_a_finished_run_is_only_validated(self):
        for options in (["--ranks", 1], ["--ranks", 2], ["--ranks", 3, "--sync", "average", "--sync-every", 2]):
            checkpoints = self.folder / "-".join(map(str, options))
            options = ["--steps", 8, "--checkpoints", checkpoints, *options]
            (first,) = self.result(*options)[0]["training"]
            (again,) = self.result(*options, "--resume")[0]["training"]
            self.assertAlmostEqual(again["validation_loss_nats"], first["validation_loss_nats"], places=4)
            self.assertEqual((again["steps"], again["loss_nats"]), (8, None))

    def test_other_options_on_a_rank_are_refused(self):
        port = free_port()
        processes = [subprocess.Popen(
            self.command("--steps", 5, "--micro-batches", rank + 1, "--rendezvous", f"127.0.0.1:{port}"),
            env=os.environ | {"RANK": str(rank), "WORLD_SIZE": "2"}, stderr=subprocess.PIPE, text=True,
            stdout=subprocess.DEVNULL) for rank in range(2)]
        errors = [process.communicate(timeout=100)[1] for process in processes]
        self.assertEqual([process.returncode for process in processes], [1, 1], errors)
        self.assertIn("rank 1 was refused: it was started with other options", errors[0])
        self.assertIn("rank 0 refuses rank 1", errors[1])

    def test_impossible_numbers_are_usage_errors(self):
        for arguments, variables, text in (
                (["--ranks", 0], {}, "--ranks"),
                (["--ranks", 2, "--transport", "mail"], {}, "--transport"),
                (["--ranks", 3], {"RANK": "0", "WORLD_SIZE": "2"}, "--ranks 3: torchrun has started 2 ranks"),
                (["--bucket-mib", 0], {}, "--bucket-mib")):
            result = self.train(*arguments, env=os.environ | variables)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(text, result.stderr)
        result = self.train(env=os.environ | {"RANK": "2", "WORLD_SIZE": "2"})
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("RANK=2 is impossible with WORLD_SIZE=2", result.stderr)
        for transport in ("nccl", "copy-engines"):
            result = self.train("--ranks", 2, "--transport", transport)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("the ranks train on the CPU", result.stderr)
        result = self.train("--rendezvous", "here", env=os.environ | {"RANK": "0", "WORLD_SIZE": "2"})
        self.assertIn("'here' is not a place to meet", result.stderr)

    def test_the_others_stop_when_a_rank_is_killed(self):
        process = self.start("--steps", 100000, "--ranks", 3)
        ranks = self.ranks_of(process)
        self.assertEqual(len(ranks), 3)
        os.kill(ranks[1], signal.SIGKILL)
        started = time.monotonic()
        _, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - started, 10)
        self.assertEqual(process.returncode, 128 + signal.SIGKILL)
        self.assertIn("rank 1 was ended by signal 9", errors)
        self.assertIn("rank 0 stops: rank 1 has ended", errors)
        self.assertIn("rank 2 stops: rank 1 has ended", errors)

    def test_an_interrupt_saves_all_ranks_at_the_same_step(self):
        process = self.start("--steps", 100000, "--ranks", 2, "--shard-optimizer", "--checkpoints",
                             self.folder / "c")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        self.assertIn("continue with --resume", errors)
        self.assertEqual(len(list((self.folder / "c").glob("step-*.safetensors"))), 1)

    def test_ranks_end_with_their_launcher(self):
        process = self.start("--steps", 100000, "--ranks", 2)
        ranks = self.ranks_of(process)
        process.kill()
        process.wait()
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and any(pathlib.Path(f"/proc/{pid}").exists() for pid in ranks):
            time.sleep(0.1)
        self.assertFalse([pid for pid in ranks if pathlib.Path(f"/proc/{pid}").exists()])

    def test_a_profile_of_each_rank(self):
        result = subprocess.run(
            [MANSARD, "profile", "-o", str(self.folder / "run.%r.sqlite"), "--",
             *self.command("--steps", 3, "--ranks", 2)],
            capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        for rank in range(2):
            database = sqlite3.connect(self.folder / f"run.{rank}.sqlite")
            ranges = [row[0] for row in database.execute("SELECT text FROM NVTX_EVENTS")]
            self.assertIn("gradient exchange", ranges)
            self.assertIn("step 2", ranges)


if __name__ == "__main__":
    unittest.main()
