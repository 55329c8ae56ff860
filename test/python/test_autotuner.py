# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The autotuner's search with kernels whose times are known: what is found, kept, skipped."""

import concurrent.futures
import json
import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

from mlir_tile import execution
from mlir_tile.autotuner import AutoTuner, autotune, get_autotune_inputs, set_autotune_inputs
from mlir_tile.autotuner.compiling import Portable, compile_all
from mlir_tile.autotuner.results import Store
from mlir_tile.errors import CompileError
from mlir_tile.profiler import Profiler


class Kernel:
    """Doubles its input and takes `milliseconds`."""

    target = "cpu"

    def __init__(self, milliseconds, wrong=False):
        self.milliseconds, self.wrong, self.calls = milliseconds, wrong, 0

    def __call__(self, x):
        self.calls += 1
        time.sleep(self.milliseconds / 1e3)
        return x * (3 if self.wrong else 2)

    def get_profiler(self, tensor_supply_type=None):
        return Profiler([], None, adapter=self)


class Calls(list):
    """What was compiled; its text stays the same, since it is part of the results' key."""

    def __str__(self):
        return "calls"


def tuner(tmp_path, configs, calls=None, **profile):
    """A tuner of a function with one parameter, a kernel's milliseconds."""

    calls = Calls() if calls is None else calls

    def kernel(ms, wrong=False):
        calls.append(ms)
        if ms < 0:
            raise ValueError(f"no kernel takes {ms} ms\nmore lines")
        return Kernel(ms, wrong)

    made = AutoTuner.from_kernel(kernel, configs).set_compile_args(target="cpu")
    made.set_profile_args(warmup=0, rep=1, **profile)
    made.cache_dir = tmp_path
    made.inputs = [np.ones(4)]
    return made


def test_finds_the_fastest(tmp_path):
    result = tuner(tmp_path, [{"ms": 60}, {"ms": 2}, {"ms": 30}]).run()
    assert result.config == {"ms": 2} and 2 <= result.latency < 30
    assert [config["ms"] for config, _ in result.latencies] == [2, 30, 60]
    assert result.kernel.milliseconds == 2 and not result.interrupted


def test_failures_are_reported_and_left_out(tmp_path):
    result = tuner(tmp_path, [{"ms": -1}, {"ms": 2}]).run()
    assert result.config == {"ms": 2}
    assert result.failures == [({"ms": -1}, "ValueError: no kernel takes -1 ms")]


def test_nothing_works(tmp_path):
    with pytest.raises(RuntimeError, match="none of the 2 configurations works; first: .*-1 ms"):
        tuner(tmp_path, [{"ms": -1}, {"ms": -2}]).run()


def test_what_failed_altogether_is_tried_again(tmp_path):
    calls = Calls()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="none of"):
            tuner(tmp_path, [{"ms": -1}], calls).run()
    assert calls == [-1, -1]


def test_empty_and_unknown_parameters(tmp_path):
    with pytest.raises(ValueError, match="no configurations"):
        tuner(tmp_path, []).run()
    with pytest.raises(ValueError, match="block_M is no parameter of the kernel"):
        tuner(tmp_path, [{"ms": 1, "block_M": 64}]).run()


def test_wrong_results_are_left_out(tmp_path):
    def check(actual, expected):
        np.testing.assert_allclose(actual[0], expected[0])

    configs = [{"ms": 1, "wrong": True}, {"ms": 30}]
    made = tuner(tmp_path, configs, ref_prog=lambda x: x * 2, manual_check_prog=check)
    result = made.run()
    assert result.config == {"ms": 30} and "AssertionError" in result.failures[0][1]
    assert result.ref_latency < 30


def test_results_are_kept_on_disk(tmp_path):
    calls = Calls()
    configs = [{"ms": 30}, {"ms": 1}, {"ms": -1}]
    first = tuner(tmp_path, configs, calls).run()
    assert sorted(calls) == [-1, 1, 30] and not first.from_cache
    calls.clear()
    again = tuner(tmp_path, configs, calls).run()
    assert again.from_cache and again.config == {"ms": 1} and again.latency == first.latency
    assert calls == [1]  # only the best is compiled
    (file,) = tmp_path.glob("*.json")
    data = json.loads(file.read_text())
    assert data["complete"] and len(data["results"]) == 3


def test_inputs_of_another_shape_are_another_key(tmp_path):
    calls = Calls()
    tuner(tmp_path, [{"ms": 1}], calls).run()
    other = tuner(tmp_path, [{"ms": 1}], calls)
    other.inputs = [np.ones(8)]
    assert not other.run().from_cache


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 0}', '{"format": 1, "results": [1]}'])
def test_files_that_cannot_be_read_count_as_absent(tmp_path, text):
    tuner(tmp_path, [{"ms": 1}]).run()
    (file,) = tmp_path.glob("*.json")
    file.write_text(text)
    assert not tuner(tmp_path, [{"ms": 1}]).run().from_cache


def test_two_writers_leave_a_whole_file(tmp_path):
    def write(worker):
        for turn in range(20):
            store = Store(tmp_path, "key")
            store.put({"worker": worker}, latency=float(turn))
            store.save(complete=True)

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert Store(tmp_path, "key").complete
    assert [path.name for path in tmp_path.iterdir()] == ["key.json"]


def test_interrupt_keeps_what_was_found_and_goes_on(tmp_path, interruptible):
    configs = [{"ms": 30}, {"ms": 4000}, {"ms": 1}]
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = tuner(tmp_path, configs).run(workers=1)
    timer.cancel()
    assert result.interrupted and result.config == {"ms": 30}
    calls = Calls()
    configs[1]["ms"] = 40
    again = tuner(tmp_path, configs, calls).run()
    assert again.config == {"ms": 1} and 30 not in calls  # the first is not measured again


def test_time_limit(tmp_path):
    result = tuner(tmp_path, [{"ms": 2000}, {"ms": 1}]).run(timeout=0.5)
    assert result.config == {"ms": 1} and "longer than 0.5 s" in result.failures[0][1]


def test_early_stop_does_not_measure_what_is_much_slower(tmp_path):
    made, kernels = tuner(tmp_path, [{"ms": 1}, {"ms": 40}]), []

    def keep(config, make=made.make):
        kernels.append(make(config))
        return kernels[-1]

    made.make = keep
    made.run(rep=1500, early_stop=True, workers=1)
    assert kernels[1].milliseconds == 40
    assert kernels[1].calls < 10  # all of them: 1500 ms / 40 ms
    with pytest.raises(ValueError, match="at least 1"):
        made.run(early_stop=True, early_stop_factor=0.5)


def test_inputs_nest_and_belong_to_the_thread():
    with set_autotune_inputs(1, 2):
        with set_autotune_inputs([3]):
            assert get_autotune_inputs() == [3]
        assert get_autotune_inputs() == [1, 2]
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            assert pool.submit(get_autotune_inputs).result() is None
    assert get_autotune_inputs() is None


class Foreign:
    """An executor by interface alone: what Dask, MPI and Ray's adapter offer."""

    def __init__(self):
        self.tasks = []

    def submit(self, function, *arguments):
        future = concurrent.futures.Future()
        self.tasks.append((function.__name__, arguments))
        threading.Thread(target=lambda: future.set_exception(OSError("worker lost"))).start()
        return future


def test_other_executors_get_text_only():
    executor = Foreign()
    portable = lambda config: Portable([(f"kernel {config['n']}", None)], "cuda:sm_90a")  # noqa: E731
    made = list(compile_all([{"n": 1}, {"n": 2}], lambda config: None, portable, executor))
    assert [str(one.error) for one in made] == ["worker lost"] * 2
    assert executor.tasks[0] == (
        "compile_portable",
        (Portable([("kernel 1", None)], "cuda:sm_90a"),),
    )


class Jitted:
    """Stands for what @jit returns."""

    mode, out_idx, target, pass_configs = "lazy", [-1], "cpu", None

    def __init__(self):
        self.compiled = []

    @staticmethod
    def func(n, ms=1):
        """The function below @jit."""

    def compile(self, n, ms=1):
        """A kernel."""
        self.compiled.append((n, ms))
        return Kernel(ms)


def test_decorator_tunes_once_for_each_call(tmp_path, monkeypatch):
    monkeypatch.setattr("mlir_tile.autotuner.tuner.cache_folder", lambda: tmp_path)
    implementation = Jitted()
    options = {"warmup": 0, "rep": 1, "skip_check": True}
    kernel = autotune(configs=lambda n: [{"ms": 30}, {"ms": 1}], **options)(implementation)
    with set_autotune_inputs(np.ones(2)):
        assert kernel(7).milliseconds == 1
        assert sorted(implementation.compiled) == [(7, 1), (7, 30)]
        assert kernel(7) is kernel(7) and len(implementation.compiled) == 2
        assert kernel(8).milliseconds == 1
        assert kernel(7, ms=5).milliseconds == 5  # given: not tuned
    assert len(list(tmp_path.glob("*.json"))) == 2


def test_decorator_stands_above_jit():
    with pytest.raises(TypeError, match="above @jit"):
        autotune(configs=[{}])(lambda: None)
    with pytest.raises(TypeError, match="configurations"):
        autotune(lambda: None)


SOURCE = """
tile.kernel @copy(%A: memref<64x64xf32>, %B: memref<64x64xf32>)
    grid(%bx) = (1) threads(128) {
  %t = tile.alloc : memref<64x64xf32, #tile.fragment>
  %c0 = arith.constant 0 : index
  tile.copy %A[%c0, %c0] to %t : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  tile.copy %t to %B[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
"""


def test_processes_compile_and_this_one_takes_it_over(monkeypatch):
    options = execution.CompileOptions()
    tasks = [Portable([(text, None)], "cuda:sm_90a", options) for text in (SOURCE, "not MLIR")]
    context = multiprocessing.get_context("spawn")

    def refuse(*_):
        raise AssertionError("this process compiles")

    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        monkeypatch.setattr(execution, "_compile_gpu", refuse)
        made = compile_all(
            [{"task": task} for task in tasks],
            lambda _: execution.compile(SOURCE, target="cuda:sm_90a", options=options),
            lambda config: config["task"],
            pool,
        )
        done = sorted(made, key=lambda one: one.index)
    assert b"copy" in done[0].kernel.artifact
    assert isinstance(done[1].error, CompileError)


def test_the_cache_can_be_off(tmp_path, monkeypatch):
    monkeypatch.setenv("TILELANG_AUTO_TUNING_DISABLE_CACHE", "1")
    tuner(tmp_path, [{"ms": 1}]).run()
    assert not list(tmp_path.iterdir())


def test_parameters_that_are_not_specialized_are_tuned_although_given(tmp_path, monkeypatch):
    """Their values only bind the signature; by position or by name."""
    monkeypatch.setattr("mlir_tile.autotuner.tuner.cache_folder", lambda: tmp_path)
    implementation = Jitted()
    options = {"warmup": 0, "rep": 1, "skip_check": True, "do_not_specialize": ["ms"]}
    kernel = autotune(configs=[{"ms": 30}, {"ms": 1}], **options)(implementation)
    with set_autotune_inputs(np.ones(2)):
        assert kernel(7, ms=50).milliseconds == 1
        assert kernel(7, 60) is kernel(7, ms=50)
        assert kernel(8, 60).milliseconds == 1
    assert sorted(implementation.compiled) == [(7, 1), (7, 30), (8, 1), (8, 30)]
