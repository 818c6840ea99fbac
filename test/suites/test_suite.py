"""Unit tests of the harness's own judgement, on handmade runs and graphs."""
import concurrent.futures
import json
import os
import shutil
import tempfile
import types
import unittest

import allows
import manifest
import rules
import runner
import runs


def result(**change):
    given = dict(status="0", stdout=b"a 1\n", files={"x": "1"}, reads=reads("aa"), counts=None, stderr=b"")
    return runs.Result(**{**given, **change})


def reads(*hashes):
    return [f"000 clEnqueueReadBuffer 4 {h}" for h in hashes]


class Rules(unittest.TestCase):
    def judge(self, bare, other):
        return rules.verdict(other, rules.learn(bare, ("status", "stdout", "files", "reads")))[0]

    def test_exact(self):
        self.assertEqual(self.judge([result()] * 2, result()), "same")
        changes = {"status": "1", "stdout": b"a 2\n", "files": {}, "reads": reads("ab")}
        for change in [{k: v} for k, v in changes.items()] + [{"reads": []}]:
            self.assertEqual(self.judge([result()] * 2, result(**change)), "different", change)

    def test_threads(self):
        one, other = ["000 x 4 a", "000 x 4 b", "001 x 4 c"], ["000 x 4 c", "001 x 4 a", "001 x 4 b"]
        swapped = ["000 x 4 b", "000 x 4 a", "001 x 4 c"]
        self.assertEqual(self.judge([result(reads=one)] * 2, result(reads=other)), "same")
        self.assertEqual(self.judge([result(reads=one)] * 2, result(reads=swapped)), "different")

    def test_order_of_reads_that_varies(self):
        bare = [result(reads=reads("a", "b")), result(reads=reads("b", "a"))]
        self.assertEqual(self.judge(bare, result(reads=reads("b", "a"))), "same")
        self.assertEqual(self.judge(bare, result(reads=reads("b", "b"))), "different")

    def test_one_read_that_varies(self):
        bare = [result(reads=reads("a", "b", "c")), result(reads=reads("a", "x", "c"))]
        self.assertEqual(self.judge(bare, result(reads=reads("a", "y", "c"))), "same")
        self.assertEqual(self.judge(bare, result(reads=reads("a", "y", "z"))), "different")
        self.assertEqual(self.judge(bare, result(reads=reads("a", "b"))), "different")

    def test_words_that_vary(self):
        bare = [result(stdout=b"took 1 ms\nok\n"), result(stdout=b"took 2 ms\nok\n")]
        self.assertEqual(self.judge(bare, result(stdout=b"took 3 ms\nok\n")), "same")
        self.assertEqual(self.judge(bare, result(stdout=b"took 3 ms\nno\n")), "different")
        self.assertEqual(self.judge(bare, result(stdout=b"took 3 ms\n")), "different")

    def test_file_that_varies(self):
        bare = [result(files={"x": "1", "t": "1"}), result(files={"x": "1", "t": "2"})]
        self.assertEqual(self.judge(bare, result(files={"x": "1", "t": "3"})), "same")
        self.assertEqual(self.judge(bare, result(files={"x": "2", "t": "3"})), "different")

    def test_processes_left(self):
        self.assertEqual(self.judge([result()] * 2, result(left=1)), "different")
        self.assertEqual(self.judge([result(), result(left=2)], result(left=1)), "same")

    def test_hang_and_crash(self):
        self.assertEqual(self.judge([result()] * 2, result(status="hang")), "hang")
        self.assertEqual(self.judge([result()] * 2, result(status="signal 6")), "crash")


def graph(types_, edges):
    return {"commands": [{"id": i, "type": "CL_COMMAND_" + t} for i, t in enumerate(types_)],
            "edges": [{"from": a, "to": b, "kind": k} for a, b, k in edges]}


class Allows(unittest.TestCase):
    def kinds(self, trace, devices=2):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(trace, file)
            return allows.of_trace(path, devices)

    def test_chain(self):
        chain = graph(["WRITE_BUFFER", "NDRANGE_KERNEL", "READ_BUFFER"], [(0, 1, "data"), (1, 2, "host")])
        self.assertEqual(self.kinds(chain), {"managed", "moved"})
        self.assertEqual(self.kinds(chain, 1), {"managed"})

    def test_free_pair(self):
        pair = graph(["NDRANGE_KERNEL", "NDRANGE_KERNEL"], [(0, 1, "queue")])
        self.assertEqual(self.kinds(pair, 1), {"managed", "reordered"})

    def test_call_that_failed(self):
        pair = graph(["NDRANGE_KERNEL", "NDRANGE_KERNEL"], [])
        pair["commands"][1]["status"] = -59
        self.assertEqual(self.kinds(pair, 1), {"managed"})

    def test_pair_that_an_unmanaged_command_orders(self):
        chain = graph(["NDRANGE_KERNEL", "BARRIER", "NDRANGE_KERNEL"], [(0, 1, "barrier"), (1, 2, "barrier")])
        self.assertEqual(self.kinds(chain), {"managed", "moved"})

    def test_kernel_that_prints(self):
        trace = graph(["NDRANGE_KERNEL", "READ_BUFFER"], [(0, 1, "data")])
        trace["commands"][0]["kernel"] = 7
        trace["kernels"] = [{"id": 7, "program": 3}]
        trace["programs"] = [{"id": 3, "source": "kernel void f() { printf(1); }"}]
        self.assertEqual(self.kinds(trace), {"managed"})

    def test_local_size_that_the_vendor_chooses(self):
        trace = graph(["NDRANGE_KERNEL"], [])
        trace["commands"][0]["kernel"] = 7
        trace["kernels"] = [{"id": 7, "program": 3}]
        trace["programs"] = [{"id": 3, "source": "kernel void f() { barrier(CLK_GLOBAL_MEM_FENCE); }"}]
        trace["commands"][0]["local_size"] = None
        self.assertEqual(self.kinds(trace), {"managed"})
        trace["commands"][0]["local_size"] = [8]
        self.assertEqual(self.kinds(trace), {"managed", "moved"})

    def test_nothing(self):
        self.assertEqual(self.kinds(graph(["READ_IMAGE"], [])), set())


class Suite(unittest.TestCase):
    def test_summary(self):
        said = b"run: 12 commands managed (9 kernels), 3 reordered, 4 moved, 2 cut (7 tiles), 5 windows; 1 native\n"
        self.assertEqual(runs.SUMMARY.findall(said), [(b"12", b"3", b"4", b"2", b"7")])
        said = b"clweave: run: 12 commands managed (9 kernels), 3 reordered, 4 moved; 1 native\n"
        self.assertEqual(runs.SUMMARY.findall(said), [(b"12", b"3", b"4", b"", b"")])

    def test_counts_of_streams_and_staging(self):
        said = (b"run: 0 commands managed (0 kernels), 0 reordered, 0 moved, 0 cut (0 tiles), 0 windows; 0 native\n"
                b"run: 6 writes (0.1 MB in 0.6 ms) and 30 reads (0.2 MB in 7.8 ms) through pinned memory, by 3 threads\n"
                b"run: streams: 72 commands of 1 queues, 54 beside the first stream, at most 8 streams for a queue; 0 waits of one for another, 0 commands that closed them\n")
        self.assertEqual(runs.counted(said + said), (0, 0, 0, 0, 0, 108, 72))
        self.assertIsNone(runs.counted(b"nothing\n"))

    def test_devices(self):
        counts = {"": 1, "/devices=cpu": 1, "/devices=cpu,sub:2/policy=x": 3, "/dsp=4": 5, "/devices=dsp": 2, "/devices=sub:2*3": 3}
        for text, count in counts.items():
            self.assertEqual(runner.devices_of("run" + text), count, text)

    def test_seeds(self):
        options = types.SimpleNamespace(seeds=4, repeat=2)
        self.assertEqual(len(runner.seeded("run/policy=chaos", options)), 4)
        self.assertEqual(len(runner.seeded("run/policy=chaos/seed=9", options)), 2)
        self.assertEqual(len(runner.seeded("run/policy=heft", options)), 2)
        self.assertEqual(runner.seeded("run/policy=random", options),
                         ["run/policy=random/seed=1", "run/policy=random/seed=2"])
        self.assertEqual(runner.seeded("run/policy=dm*1", options), ["run/policy=dm"])
        self.assertEqual(len(runner.seeded("run/policy=chaos*3", options)), 3)
        self.assertEqual(runner.seeded("trace", options), ["trace"])

    def test_more_devices(self):
        program = manifest.parse_line("p counts=devices -- true", "/")
        self.assertTrue(program.counts_devices)
        said = []
        one = runner.Runner(program, types.SimpleNamespace(build="build"), "/nowhere")

        def bare():
            said.append(one.name)
            one.rules = ["of " + one.name]
            return True
        one.bare = bare
        self.assertTrue(one.bare())
        for name in ("run", "run/dsp=4/policy=x", "run/dsp=4", "trace", "run/dsp=4/policy=y"):
            self.assertTrue(one.compare_with(name))
        self.assertEqual(said, ["bare", "bare/4"])  # each once
        self.assertEqual(one.rules, ["of bare/4"])
        self.assertTrue(one.compare_with("run"))
        self.assertEqual(one.rules, ["of bare"])
        one.bare = lambda: False  # it does not work with that many devices
        self.assertFalse(one.compare_with("run/dsp=2/policy=x"))
        self.assertFalse(one.compare_with("run/dsp=2/policy=y"))
        env = runs.environment(program, "bare/2", "l", "w", "/f", "/h", None)
        self.assertEqual(env["POCL_DEVICES"], "pthread basic basic")
        self.assertNotIn("POCL_DEVICES", runs.environment(program, "bare", "l", "w", "/f", "/h", None))

    def test_programs_copied_while_others_start(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(folder + "/p")
            shutil.copy("/bin/true", folder + "/p/copied")
            os.truncate(folder + "/p/copied", 3000000)  # takes a while to copy
            program = manifest.parse_line(f"p dir={folder}/p -- ./copied", folder)

            def one(number):
                return runs.run(program, "bare", "l", "w", f"{folder}/{number}").status
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                self.assertEqual(set(pool.map(one, range(100))), {"0"})

    def test_idle_chaos(self):
        options = types.SimpleNamespace(build="build")
        program = types.SimpleNamespace(name="p", allows=("managed", "reordered"))
        one = runner.Runner(program, options, "/nowhere")
        self.assertEqual(one.idle("run/policy=chaos/manage_all=1", [5, 0, 0]), {"reordered"})
        self.assertEqual(one.idle("run/policy=chaos/manage_all=1", [5, 1, 0]), set())
        self.assertEqual(one.idle("run/policy=chaos", [5, 0, 0]), set())
        self.assertEqual(one.idle("run/policy=heft", [0, 0, 0]), set())
        program.allows = ("moved",)
        self.assertEqual(one.idle("run/policy=chaos/manage_all=1", [5, 0, 0, 0, 0]), {"moved"})
        self.assertEqual(one.idle("run/policy=chaos/manage_all=1", [5, 0, 0, 1, 2]), set())


if __name__ == "__main__":
    unittest.main()
