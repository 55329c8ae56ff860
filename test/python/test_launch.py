# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on GPUs, over the mock driver of unittests/Runtime: what arrives there, and what is
refused before."""

import multiprocessing
import struct
import threading

import numpy as np
import pytest
from exchange_support import ADDRESSES

from mlir_tile._mlir_libs import _launch
from mlir_tile.errors import ArgumentError, LaunchError

CPU, CUDA, PINNED, MANAGED = 1, 2, 3, 13
F32, F64, F16, BF16 = (2, 32, 1), (2, 64, 1), (2, 16, 1), (4, 16, 1)


def word(data):
    return struct.unpack("<q", data)[0]


def test_parameters_arrive(exchange, add, tensor):
    add(tensor(0), tensor(1, strides=(96, 1)), tensor(2))
    ((name, grid, stream, params),) = exchange.launches()
    assert (name, grid, stream) == ("add__aligned", (2, 4, 1), 0)
    assert [word(value) for value in params[:8]] == [
        ADDRESSES[0],
        4,
        64,
        64,
        ADDRESSES[1],
        4,
        64,
        96,
    ]
    # Neither aligned addresses nor strides: the other version.
    add(tensor(0, address=0x10004), tensor(1), tensor(2))
    assert exchange.launches()[0][0] == "add"
    assert add.name == "add" and add.arguments == ("A", "B", "C")
    assert add.load(0)["arch"] == "sm_90a"


def test_nothing_is_launched_for_no_elements(exchange, add, tensor):
    empty = [tensor(i, shape=(0, 64), address=0) for i in range(3)]
    add(*empty)
    assert exchange.launches() == []


def refused(kernel, *args, error=ArgumentError, **names):
    with pytest.raises(error) as caught:
        kernel(*args, **names)
    return str(caught.value)


@pytest.mark.parametrize(
    "change, text",
    [
        ({"dtype": F64}, "argument 1 ('B'): expected element type f32, got f64"),
        ({"dtype": F16}, "argument 1 ('B'): expected element type f32, got f16"),
        ({"dtype": BF16}, "argument 1 ('B'): expected element type f32, got bf16"),
        ({"dtype": (5, 64, 1)}, "argument 1 ('B'): expected element type f32, got complex64"),
        ({"dtype": (2, 32, 4)}, "argument 1 ('B'): expected element type f32, got 4 lanes of f32"),
        ({"dtype": (99, 8, 1)}, "got DLPack's type 99 of bits 8"),
        ({"shape": (4, 64, 1), "strides": (64, 1, 1)}, "('B'): expected shape *x*, got 4x64x1"),
        ({"shape": (), "strides": ()}, "('B'): expected shape *x*, got of rank 0"),
        ({"strides": (1, 4)}, "('B'): expected strides [*, 1], got [1, 4]"),
        ({"strides": (128, 2)}, "('B'): expected strides [*, 1], got [128, 2]"),
        ({"address": 0}, "argument 1 ('B'): expected memory, got null"),
        ({"address": 0x20002}, "('B'): expected an address aligned to 4 bytes, got 0x20002"),
        ({"device": (CPU, 0)}, "('B'): expected memory of a GPU, got a tensor on the CPU; move it"),
        ({"device": (7, 0)}, "('B'): expected memory of a GPU, got a tensor on a device of"),
        ({"device": (CUDA, 1)}, "('B'): expected memory of GPU 0, where the arguments before"),
        ({"strides": (128, 2), "negative": True}, "('B'): expected what is in memory, got a view"),
        ({"negative": True}, "('B'): expected what is in memory, got a view of its negative; resol"),
    ],
)
def test_tensors_that_do_not_fit(exchange, add, tensor, change, text):
    message = refused(add, tensor(0), tensor(1, **change), tensor(2))
    assert text in message
    assert exchange.launches() == []
    add(tensor(0), tensor(1), tensor(2))  # usable after
    assert len(exchange.launches()) == 1


def test_negatives_of_what_was_launched_before(exchange, add, tensor):
    """Shapes, strides and addresses are those that the launcher remembers."""
    args = [tensor(i) for i in range(3)]
    add(*args)
    for at in range(3):
        wrong = [*args[:at], tensor(at, negative=True), *args[at + 1 :]]
        assert "expected what is in memory, got a view of its negative" in refused(add, *wrong)
    assert len(exchange.launches()) == 1


@pytest.fixture
def again(exchange, add, tensor):
    """Three arguments that were launched until nobody asks them for their sign."""
    args = [tensor(i) for i in range(3)]
    for _ in range(10):
        add(*args)
    asked = exchange.seen()["signs"]
    add(*args)
    assert exchange.seen()["signs"] == asked
    exchange.launches()
    return args


def test_tensors_of_like_addresses_are_not_asked_again_and_again(exchange, add, tensor):
    """What is known of tensors lies in sets, by their addresses (TensorSigns.cpp)."""
    every, sets = [[tensor(i) for _ in range(400)] for i in range(3)], []
    for made in every:
        found = {}
        for x in made:
            bits = id(x) // 16
            found.setdefault((bits ^ bits // 32) % 32, x)
        sets.append(found)
    alike = next(iter(set.intersection(*map(set, sets))))
    args = [found[alike] for found in sets]
    for _ in range(10):
        add(*args)
    asked = exchange.seen()["signs"]
    for _ in range(10):
        add(*args)
    assert exchange.seen()["signs"] == asked


def test_another_tensor_where_one_was_that_is_known(exchange, add, tensor, again):
    place = id(again.pop(1))
    made = [tensor(1, negative=True)]
    while id(made[-1]) != place and len(made) < 100000:
        made.append(tensor(1, negative=True))
    wrong = made[-1]
    assert id(wrong) == place
    assert "a view of its negative" in refused(add, again[0], wrong, again[1])
    assert not exchange.launches()


def test_a_known_tensor_with_other_memory(exchange, add, again):
    again[1].set(0x90000, True)
    assert "a view of its negative" in refused(add, *again)
    again[1].set(0x90000, False)
    add(*again)
    assert len(exchange.launches()) == 1


def test_objects_that_do_not_fit(exchange, add, tensor):
    a, b, c = (tensor(i) for i in range(3))
    for value, text in [
        (None, "expected a tensor of f32, got None"),
        (1.5, "expected a tensor of f32, got float 1.5"),
        ("x", "expected a tensor of f32 on a GPU, got str x"),
        (object(), "expected a tensor of f32 on a GPU, got object"),
        (np.zeros((4, 64), np.float32), "expected memory of a GPU, got ndarray, which is memory"),
    ]:
        assert "argument 1 ('B'): " + text in refused(add, a, value, c)
    assert "kernel 'add': expected 3 arguments (A, B, C), got 2" in refused(add, a, b)
    assert "got 4" in refused(add, a, b, c, c)
    assert "expected no argument by name but 'stream', got 'out'" in refused(add, a, b, c, out=c)
    assert "it overlaps argument 0 ('A')" in refused(add, a, b, tensor(0))
    exchange.fail(1)
    assert "argument 0 ('A'): this tensor is sparse" in refused(add, a, b, c)
    assert exchange.launches() == []


def test_subclasses_may_hold_no_memory(exchange, add, tensor):
    class FakeTensor(exchange.Tensor):
        pass

    def make(address):
        return FakeTensor(address, (4, 64), (64, 1), F32, (CUDA, 0))

    message = refused(add, make(0), tensor(1), tensor(2))
    assert "got FakeTensor, which has none; under torch.compile, launch through" in message
    add(make(0x50000), tensor(1), tensor(2))
    assert len(exchange.launches()) == 1


def test_devices(exchange, add, tensor):
    second = [tensor(i, device=(CUDA, 1)) for i in range(3)]
    before = exchange.seen()["modules"]
    exchange.set_stream(0x7000)
    add(*second)
    add(*[tensor(i) for i in range(3)])
    assert exchange.seen()["modules"] == before + 2
    # The stream is the one of the tensors' device.
    assert [launch[2] for launch in exchange.launches()] == [0x7001, 0x7000]
    add(tensor(0, device=(PINNED, 0)), tensor(1, device=(MANAGED, 0)), tensor(2, device=(CUDA, 1)))
    assert exchange.launches()[0][2] == 0x7001
    message = refused(add, *[tensor(i, device=(CUDA, 5)) for i in range(3)], error=LaunchError)
    assert "5" in message


def test_streams(exchange, add, tensor):
    class Torch:
        cuda_stream = 0x100

    class CuPy:
        ptr = 0x200

    class Core:
        def __cuda_stream__(self):
            return (0, 0x300)

    args = [tensor(i) for i in range(3)]
    exchange.set_stream(0x400)
    for stream in (Torch(), CuPy(), Core(), 0x500, None):
        add(*args, stream=stream)
    seen = [launch[2] for launch in exchange.launches()]
    assert seen == [0x100, 0x200, 0x300, 0x500, 0x400]
    assert "stream: expected a stream of PyTorch" in refused(add, *args, stream="default")


def test_warm_launches_allocate_and_load_nothing(exchange, add, tensor):
    """What a CUDA graph may capture."""
    args = [tensor(i) for i in range(3)]
    add(*args)
    before = exchange.seen()
    for _ in range(10):
        add(*args)
    after = exchange.seen()
    assert after["launches"] == before["launches"] + 10
    assert (after["modules"], after["allocations"]) == (before["modules"], before["allocations"])


def test_driver_failures_are_no_argument_errors(exchange, add, tensor):
    args = [tensor(i) for i in range(3)]
    add(*args)
    exchange.mock(launch_result=719)
    assert "kernel 'add" in refused(add, *args, error=LaunchError)
    exchange.mock(launch_result=0)
    add(*args)


class CudaArray:
    """A library with CUDA's array interface alone."""

    def __init__(self, address, shape=(4, 64), strides=None, typestr="<f4", readonly=False):
        self.__cuda_array_interface__ = {
            "data": (address, readonly),
            "shape": shape,
            "strides": strides,
            "typestr": typestr,
            "version": 3,
        }


def test_cuda_array_interface(exchange, add):
    for address in ADDRESSES:
        exchange.memory(address, 4 * 128 * 4, 0)
    a, b, c = (CudaArray(address) for address in ADDRESSES)
    add(a, CudaArray(ADDRESSES[1], strides=(512, 4)), c, stream=9)
    ((_, _, stream, params),) = exchange.launches()
    assert stream == 9 and word(params[7]) == 128
    # The driver is asked where the memory is.
    assert "memory that the driver does not know" in refused(add, CudaArray(0x900000), b, c)
    assert "f64" in refused(add, CudaArray(ADDRESSES[0], typestr="<f8"), b, c)
    assert "got '>f4'" in refused(add, CudaArray(ADDRESSES[0], typestr=">f4"), b, c)
    assert "expected strides of whole elements" in refused(
        add, CudaArray(ADDRESSES[0], strides=(510, 4)), b, c
    )
    assert "('C'): expected memory that may be written" in refused(
        add, a, b, CudaArray(ADDRESSES[2], readonly=True)
    )


class BufferByType(bytearray):
    """As JAX's arrays: the type has buffers, though this one is on a GPU."""

    def __init__(self, address):
        super().__init__(b"")
        self.__cuda_array_interface__ = CudaArray(address).__cuda_array_interface__


def test_types_with_buffers_may_be_on_a_gpu(exchange, add):
    for address in ADDRESSES:
        exchange.memory(address, 4 * 64 * 4, 0)
    add(*[BufferByType(address) for address in ADDRESSES])
    assert len(exchange.launches()) == 1
    expected = "which is memory of the CPU; move it to the GPU, or"
    assert expected in refused(add, bytearray(8), bytearray(8), bytearray(8))


class Dlpack:
    """NumPy's capsule, said to be on a GPU: a library without exchange functions."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__()


def test_dlpack_capsules(add):
    args = [Dlpack(np.zeros((4, 64), np.float32)) for _ in range(3)]
    # NumPy's memory is the CPU's, which the capsule says.
    assert "argument 0 ('A'): expected memory of a GPU, got a tensor on the CPU" in refused(
        add, *args
    )
    assert args[0].streams == [1]  # CUDA's default stream, by the protocol
    assert "on the CPU" in refused(add, *args, stream=0x77)
    assert args[0].streams == [1, 0x77]


def test_closed(exchange, add, tensor):
    args = [tensor(i) for i in range(3)]
    add(*args)
    add.close()
    add.close()
    assert "has been closed" in refused(add, *args, error=LaunchError)


def test_threads(exchange, artifact, tensor, add):
    exchange.mock(quiet=True)
    fresh = _launch.device_kernel(artifact.artifact, "add", exchange.__file__)
    before = exchange.seen()["launches"]

    def work():
        args = [tensor(i) for i in range(3)]
        for _ in range(200):
            fresh(*args)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert exchange.seen()["launches"] == before + 800


def _child(queue, kernel, args):
    try:
        kernel(*args)
        queue.put("launched")
    except LaunchError as error:
        queue.put(str(error))


def test_fork(add, tensor):
    args = [tensor(i) for i in range(3)]
    add(*args)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_child, args=(queue, add, args))
    process.start()
    assert "before this process was forked" in queue.get(timeout=60)
    process.join(60)
    assert process.exitcode == 0
    add(*args)


def test_devices_are_described(exchange, add):
    assert _launch.device_count(exchange.__file__) == 2
    info = _launch.device_info(1, exchange.__file__)
    assert (info["major"], info["minor"], info["multiprocessors"]) == (9, 0, 132)
    with pytest.raises(LaunchError):
        _launch.device_info(0, "/nonexistent/libcuda.so")


def test_artifacts_that_are_none(artifact, exchange):
    with pytest.raises(LaunchError):
        _launch.device_kernel(b"not an artifact", "add")
    with pytest.raises(ArgumentError, match="expected a kernel of the artifact"):
        _launch.device_kernel(artifact.artifact, "sub")
    damaged = bytearray(artifact.artifact)
    damaged[len(damaged) // 2] ^= 0xFF
    with pytest.raises(LaunchError):
        _launch.device_kernel(bytes(damaged), "add", exchange.__file__)


def test_repeated(exchange, add, tensor):
    """Many launches without Python in between."""
    args = [tensor(i) for i in range(3)]
    assert add.repeat(7, *args, stream=5) > 0
    seen = exchange.launches()
    assert len(seen) == 7 and {launch[2] for launch in seen} == {5}
    assert "expected 3 arguments" in refused(add.repeat, 7, *args[:2])
    assert "expected how often" in refused(add.repeat, 0, *args)
    assert "expected how often" in refused(add.repeat)
    assert "('B'): expected element type" in refused(
        add.repeat, 2, args[0], tensor(1, dtype=F64), args[2]
    )
