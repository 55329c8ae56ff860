# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The profiler with functions in a kernel's place: inputs, comparison, times."""

import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parent / "torch_stub"))
import torch  # noqa: E402

from mlir_tile.profiler import (  # noqa: E402
    Profiler,
    TensorSupplyType,
    bench,  # noqa: E402
    do_bench,
    get_tensor_supply,
)
from mlir_tile.profiler.supply import assert_close  # noqa: E402


def param(dtype, *shape):
    return SimpleNamespace(name="A", dtype=dtype, shape=shape)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int8", "uint8", "int32"])
@pytest.mark.parametrize("kind", list(TensorSupplyType))
def test_inputs_have_the_parameters_type_and_shape(kind, dtype):
    made = get_tensor_supply(kind)(param(dtype, 3, 5))
    assert str(made.dtype) == f"torch.{dtype}" and tuple(made.shape) == (3, 5)
    expected = {TensorSupplyType.Zero: 0, TensorSupplyType.One: 1}.get(kind)
    assert expected is None or (made == expected).all()


def test_sizes_that_are_known_at_run_time_only():
    size = SimpleNamespace(name="m")
    supply = get_tensor_supply(TensorSupplyType.Auto)
    assert tuple(supply(param("float16", size, 4), {"m": 6}).shape) == (6, 4)
    with pytest.raises(ValueError, match="size 'm' of argument 'A'.*dynamic_symbolic_constraints"):
        supply(param("float16", size, 4))


def test_results_are_not_inputs():
    seen = []
    adapter = lambda *tensors: seen.append(len(tensors))  # noqa: E731
    Profiler([param("float16", 2)] * 3, [-1], adapter=adapter).run_once()
    assert seen == [2]
    with pytest.raises(ValueError, match="out_idx 3"):
        Profiler([param("float16", 2)] * 3, [3])


def test_comparison_with_a_reference():
    profiler = Profiler([param("float32", 64)], None, adapter=lambda x: x * 2)
    profiler.assert_allclose(lambda x: x + x)
    with pytest.raises(AssertionError, match="of 64 elements differ"):
        profiler.assert_allclose(lambda x: x + x + 1)
    with pytest.raises(AssertionError, match="returns 1 tensors, the reference 2"):
        profiler.assert_allclose(lambda x: (x, x))
    profiler.assert_consistent(repeat=2)


def test_a_share_of_the_elements_may_differ():
    x = torch.zeros(1000)
    y = x.clone()
    y[5] = 9
    assert_close(x, y, max_mismatched_ratio=0.01)
    with pytest.raises(AssertionError, match=r"1 of 1000 .* first at \(5,\): LHS 0.0, RHS 9.0"):
        assert_close(x, y, max_mismatched_ratio=0)


def test_times():
    def work():
        time.sleep(0.004)

    work.target = "cpu"
    for mode in ("mean", "median", "min", "max"):
        assert do_bench(work, warmup=1, rep=20, return_mode=mode) >= 4
    low, high = do_bench(work, warmup=1, rep=40, quantiles=[0.0, 1.0])
    assert 4 <= low <= high
    with pytest.raises(ValueError, match="return_mode is one of"):
        do_bench(work, return_mode="best")


def test_a_long_function_is_measured_once():
    calls = []

    def work():
        calls.append(time.sleep(0.2))

    work.target = "cpu"
    assert do_bench(work) >= 200 and len(calls) == 2


def test_a_first_call_that_compiles_is_not_measured():
    calls = []

    def work():
        time.sleep(0.001 if calls else 0.2)
        calls.append(1)

    work.target = "cpu"
    assert do_bench(work, warmup=1, rep=20) < 100 and len(calls) > 5


class Recorded:
    """What stands for torch.profiler's recording of the device: the second of two rounds."""

    rounds = []  # of one run: lists of (key, microseconds, whether it is a range)

    def __init__(self, **_):
        Recorded.rounds = [[]]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def step(self):
        Recorded.rounds.append([])

    def events(self):
        cpu = SimpleNamespace(device_type=SimpleNamespace(name="CPU"), self_device_time_total=1e6)
        return [cpu] + [
            SimpleNamespace(
                key=key,
                self_device_time_total=time,
                is_user_annotation=is_range,
                device_type=SimpleNamespace(name="CUDA"),
            )
            for key, time, is_range in Recorded.rounds[1]
        ]


class Range:
    def __init__(self, key):
        self.key = key

    def __enter__(self):
        self.first = len(Recorded.rounds[-1])

    def __exit__(self, *_):
        inside = Recorded.rounds[-1][self.first :]
        Recorded.rounds[-1].append((self.key, sum(time for _, time, _ in inside), True))


@pytest.fixture
def recorded(monkeypatch):
    """A device whose kernels are recorded, with events that measure 9 ms for each call."""

    def ran(microseconds):
        Recorded.rounds[-1].append(("fill", microseconds, False))

    profiler = SimpleNamespace(
        ProfilerActivity=SimpleNamespace(CPU=0, CUDA=1),
        schedule=lambda **_: None,
        profile=Recorded,
        record_function=Range,
    )
    monkeypatch.setattr(torch, "profiler", profiler)
    source = bench._Events.__new__(bench._Events)
    source.cache = SimpleNamespace(zero_=lambda: ran(60.0))
    source.measure = lambda function, count: [9.0] * count
    monkeypatch.setattr(bench, "_source", lambda *_: source)
    return ran


def test_cupti_counts_what_the_device_does_for_a_call(recorded):
    def call():  # two kernels, one in a range of the caller's
        recorded(2.0)
        with Range("mine"):
            recorded(3.0)

    Recorded.rounds = [[]]
    assert do_bench(call, backend="cupti", _n_repeat=4) == pytest.approx(5e-3)
    assert bench._bench_with_cupti(call, SimpleNamespace(zero_=lambda: recorded(60.0)), 3) == (
        pytest.approx(5e-3)
    )
    assert do_bench(call, backend="event", _n_repeat=4) == 9.0


def test_cupti_that_records_nothing_is_told(recorded, monkeypatch):
    monkeypatch.setattr(Recorded, "events", lambda self: [])
    with pytest.warns(UserWarning, match="measured by events"):
        assert do_bench(lambda: None, backend="cupti", _n_repeat=2) == 9.0
    with pytest.raises(ValueError, match="backend is one of event, cupti, cudagraph; got 'clock'"):
        do_bench(lambda: None, backend="clock")
