# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.WSSchedule: a kernel with a schedule of roles means what its text says."""

import numpy as np
import pytest
import tilelang_style  # noqa: F401  (the stand-in for torch)

import mlir_tile.language as T
from mlir_tile.errors import CompileError
from mlir_tile.jit import compile as compile_kernel


def _schedule(buffers, accumulators, stages, scopes=None, roles=("TMA", "MMA", "Epilogue")):
    loop = {
        "TMA": [
            T.WSSync.producer_acquire("smem", stage=0),
            "copy_A",
            T.WSSync.producer_commit("smem", stage=0),
        ],
        "MMA": [
            T.WSSync.consumer_wait("smem", stage=stages - 1),
            "gemm",
            T.WSSync.consumer_release("smem", stage=stages - 1),
        ],
    }
    return T.WSSchedule(
        num_warps=8,
        roles=[T.WSRole(x, warps_lo=i, warps_hi=i + 1) for i, x in enumerate(roles)],
        pipelines=[
            T.WSPipeline("smem", buffers, depth=stages),
            T.WSPipeline("tmem", accumulators, depth=1),
        ],
        scopes=[
            T.WSScope("loop_k", loop),
            T.WSScope(T.WSScope.ROOT, {"Epilogue": ["loop_wave"], **(scopes or {})}),
        ],
    )


@pytest.mark.parametrize("target", ["cpu", "lowered:sm_90a", "lowered:sm_100a"])
def test_a_persistent_product_with_a_schedule(target):
    M, N, K, tile, workers = 192, 128, 64, 64, 3

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((N, K), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(workers, threads=128) as block:
            a = T.alloc_shared((tile, 32), "float16")
            b = T.alloc_shared((tile, 32), "float16")
            acc = T.alloc_tmem([tile, tile], "float32")
            local = T.alloc_fragment((tile, tile), "float32")
            tiles = T.PersistentTileScheduler(M // tile, N // tile, workers, swizzle_size=2)
            T.annotate_ws_schedule(_schedule([a, b], [acc], 2))
            with T.ws_op("init"):
                tiles.init(block)
            with T.ws_op("loop_wave"):
                while tiles.valid():
                    with T.ws_op("place"):
                        row = tiles.m_idx
                        column = tiles.n_idx
                    for k in T.Pipelined(K // 32, num_stages=2, annotations={T.WSID: "loop_k"}):
                        T.copy(A[row * tile, k * 32], a, annotations={T.WSID: "copy_A"})
                        T.copy(B[column * tile, k * 32], b)
                        T.gemm(
                            a,
                            b,
                            acc,
                            transpose_B=True,
                            clear_accum=k == 0,
                            annotations={T.WSID: "gemm"},
                        )
                    T.copy(acc, local)
                    T.copy(local, C[row * tile, column * tile])
                    with T.ws_op("next"):
                        tiles.next_tile()

    random = np.random.default_rng(3)
    a, b = (random.integers(-3, 4, (x, K)).astype(np.float16) for x in (M, N))
    c = np.zeros((M, N), np.float32)
    compile_kernel(main, target=target)(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.T.astype(np.float32))


def test_parts_of_a_schedule():
    assert T.WSScope.ROOT == "tl.ws_scope_root"
    sync = T.WSSync.consumer_release("p", stage=3)
    assert sync.kind.same_as(T.WSSyncKind.CONSUMER_RELEASE) and sync.stage == 3
    assert isinstance(T.WSScope("x", {"R": ["one", sync]}).bodies["R"][0], T.WSOpRef)
    role = T.WSRole("R", warps_lo=4, warps_hi=8, max_nreg=224)
    assert (role.warp_lo, role.warp_hi) == (4, 8)
    with pytest.raises(TypeError):
        T.WSRole("R", (4, 8))
    with pytest.raises(AssertionError, match="multiple of 4"):
        T.WSSchedule(num_warps=6, roles=[], pipelines=[], scopes=[])


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (lambda: "roles", "expected a T.WSSchedule, got 'roles'"),
        (lambda: _schedule([], [], 2, {"Other": []}), "has a role Other, but the schedule has"),
        (
            lambda: _schedule([], [], 2, {"MMA": [T.WSSync.consumer_wait("nothing")]}),
            "MMA waits for a pipeline nothing, but the schedule has smem, tmem",
        ),
    ],
)
def test_what_is_wrong_is_said(schedule, message):
    with pytest.raises(CompileError, match=f"ws_schedule.py:.*{message}"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=128):
                T.annotate_ws_schedule(schedule())
                T.fill(A, 0)


def test_a_part_has_a_name():
    with pytest.raises(CompileError, match="T.ws_op: expected a name, got 3"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=128):
                with T.ws_op(3):
                    T.fill(A, 0)
