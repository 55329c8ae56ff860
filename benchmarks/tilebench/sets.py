# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sets of problems that benchmarks/RESULTS.md has a row for: what each measures, how, and what is asked of it.

A bar is one or more conditions, `WHAT OP NUMBER`. WHAT is `ratio` (of a set of several problems the geometric mean),
`each` (the lowest ratio of a problem) or `ours` (the figure itself); `ours == all` asks for as many as were tried. A
`tolerance` is what a bar may be missed by and still count as met, where single runs differ by as much.
"""

import dataclasses
import re

HOPPER = "gemm_hopper.py run FOLDER"


@dataclasses.dataclass(frozen=True)
class Set:
    name: str  # what lines of results.jsonl call it
    title: str  # the problems
    type: str  # of the elements
    unit: str  # of `ours` and `peer`
    command: str
    peer: str = ""
    bar: tuple = ()
    tolerance: float = 0.0
    mode: str = ""  # rows of this mode of a benchmark script belong to the set ...
    match: str = ""  # ... where this expression is found in the problem ...
    against: str = ""  # ... and this one in the name of the peer
    best: bool = False  # of those rows the fastest only: they are configurations, not problems


@dataclasses.dataclass(frozen=True)
class Table:
    title: str
    text: str
    sets: tuple


def gemm(name, title, element, mode, peer="cuBLAS", **more):
    command = f"{HOPPER} {mode.rstrip('+')} --tune"
    return Set(name, title, element, "TFLOP/s", command, peer, mode=mode, **more)


def epilogue(name, title, **more):
    return gemm(
        f"epilogue-{name}", f"8192³, {title}", "f16", "epilogue", "our plain GEMM", match=f"^{name}$", tolerance=0.01, **more
    )


def operators(name, title, match, *bar):
    return Set(
        f"operators-{name}", title, "f16", "TB/s", "operators.py run FOLDER", "the best of torch.compile, Triton and PyTorch", bar,
        0.01, "operators", match, "^best$"
    )


def quantized(name, title, mode, peer, bar, unit, against):
    command = "quantized.py run FOLDER"
    return Set(f"quantized-{name}", title, "f16 and others", unit, command, peer, bar, mode=f"quantized {mode}", against=against)


def experts(name, title, mode, peer, *bar, element="bf16", unit="TFLOP/s", **more):
    return Set(name, title, element, unit, "experts.py run FOLDER", peer, bar, mode=f"experts {mode}", **more)


HEADLINE = tuple(
    gemm(f"gemm-{m}", f"{m}³, B as K×N and N×K", "f16", "headline", match=f"{m}x{m}x{m} ", bar=(f"each >= {bar}",))
    for m, bar in ((4096, "0.97"), (8192, "1.00"), (16384, "1.00"))
)
FP8 = "8192³ and four shapes of DeepSeek, B as N×K"

TABLES = (
    Table(
        "GEMM and convolutions on Hopper",
        "One NVIDIA H200, `sm_90a`, ptxas 13.0, torch 2.11.0+cu130; plain programs as `benchmarks/program.py` prints them.",
        HEADLINE
        + (
            gemm("gemm-llm", "LLM set, 80 problems", "f16", "sweep", bar=("ratio >= 1.00", "each >= 0.93")),
            gemm("gemm-small-m", "M of 1 to 128, 120 problems", "f16", "small", bar=("ratio >= 1.00",)),
            Set("gemm-random", "one artifact of one program, 200 random problems, B as N×K", "f16", "TFLOP/s", "gemm_random.py run FOLDER", "cuBLAS", ("ratio >= 1.00",), mode="random"),
            Set("gemm-waves", "the same artifact, 40 random problems of one to three waves", "f16", "TFLOP/s", "gemm_random.py run FOLDER", "cuBLAS", ("ratio >= 0.97", "each >= 0.90"), mode="waves"),
            Set("gemm-stream", "programs of one tile, 12 problems just above whole rounds: `stream_k = 16`", "f16", "", "gemm_random.py survey FOLDER", "the same without"),
            Set("gemm-alone", "the launcher's choice, 40 of the random problems", "f16", "", "gemm_random.py run FOLDER", "the fastest of the artifact's kernels", ("ratio >= 0.97",), 0.01),
            Set("gemm-choose", "choosing among the artifact's kernels for sizes that are new", "", "µs", "LaunchPredictor", bar=("ours <= 1",)),
            gemm("gemm-batched", "16 × 2048³, B as K×N and N×K", "f16", "batched", bar=("each >= 1.00",)),
            gemm("gemm-padded", "4093×4099×4001, rows padded to 16 bytes", "f16", "ragged", match="padded", bar=("ratio >= 1.00",)),
            gemm("gemm-contiguous", "4093×4099×4001, rows that start anywhere", "f16", "ragged", match="contiguous", bar=("ratio >= 0.90",)),
            gemm("gemm-triton", "12 problems beside Triton", "f16", "triton", "Triton 3.6, its best", against="triton", bar=("ratio >= 1.03",)),
            gemm("gemm-tilelang", "12 problems beside TileLang", "f16", "tilelang", "TileLang 0.1.15, its best", against="tilelang", bar=("ratio >= 1.03",)),
            gemm("gemm-choice", "LLM set, the compiler's own choice", "f16", "choice", "the best configuration"),
            gemm("gemm-roles", "copies without TMA, by warps of their own", "f16", "roles", "without roles", against="no roles"),
            gemm("gemm-fp8", f"{FP8}, fast accumulation", "fp8 e4m3", "fp8", "`_scaled_mm`", bar=("ratio >= 0.97",)),
            gemm("gemm-fp8-promoted", f"{FP8}, promoted every 128", "fp8 e4m3", "fp8+", "`_scaled_mm`, not fast", bar=("ratio >= 0.97",)),
            gemm("gemm-fp8-quantize", "8192³, fp8 out, a scale and row maxima", "fp8 e4m3", "quantize", "bf16 out"),
            gemm("gemm-int8", "8192³, B as N×K", "int8", "int8", "`torch._int_mm`", bar=("ratio >= 1.00",)),
            gemm("gemm-tf32", "8192³, B as N×K", "tf32", "tf32", "cuBLAS tf32", bar=("ratio >= 1.00",), tolerance=0.01),
            epilogue("relu", "ReLU", bar=("ratio >= 0.98",)),
            epilogue("bias_gelu", "bias and GELU", bar=("ratio >= 0.98",)),
            epilogue("residual", "residual", bar=("ratio >= 0.98",)),
            Set("sparse-dense", "8192³, 2:4 sparse A, products of the whole A counted", "f16", "TFLOP/s", "tile-run --bench of examples/sparse_gemm.mlir and gemm_hopper.mlir by turns", "our dense GEMM", bar=("ratio >= 1.10",), tolerance=0.01),
            Set("sparse-dense-4096", "4096³, 2:4 sparse A, products of the whole A counted", "f16", "TFLOP/s", "tile-run --bench of examples/sparse_gemm.mlir and gemm_hopper.mlir by turns", "our dense GEMM"),
            Set("conv", "11 convolutions of ResNet-like shapes, NHWC", "f16", "TFLOP/s", "conv_hopper.py run FOLDER --pairs 4 --rep 25", "cuDNN", mode="conv"),
            Set("attention", "attention forward, 21 shapes", "bf16", "TFLOP/s", "attention_hopper.py run FOLDER --rep 30", "cuDNN", mode="attention", bar=("ratio >= 0.90",)),
            Set("attention-lazy", "attention forward, programs that rescale where a maximum grows 2^8-fold, 21 shapes", "bf16", "TFLOP/s", "attention_hopper.py run FOLDER --rep 30", "cuDNN", mode="attention, lazy", bar=("ratio >= 1.12",)),
        ),
    ),
    Table(
        "Memory-bound operators on Hopper",
        "`sm_90a`, ptxas 13.0, torch 2.11.0+cu130, Triton 3.6; the card stands in the remarks. Plain programs as "
        "`benchmarks/tilebench/operators.py` prints them; of each problem the fastest of a few numbers of rows and threads, as of "
        "the peers. L2 is flushed before each launch.",
        (
            operators("elementwise", "elementwise and casts of 512 MB: scale, add, SwiGLU, GELU, to fp8 by rows and groups", "^(scale|add|swiglu|gelu|cast)", "ratio >= 1.00"),
            operators("norms", "RMSNorm and LayerNorm, 2,048 and 32,768 rows of 1,024 to 16,384", "^(rmsnorm|layernorm) ", "ratio >= 1.00", "each >= 0.95"),
            operators("norms-more", "RMSNorm with residual, LayerNorm's gradient", "^(rmsnorm_residual|layernorm_backward)", "ratio >= 1.00", "each >= 0.95"),
            operators("softmax", "softmax, rows of 1,000 to 262,144", "^softmax", "ratio >= 1.00", "each >= 0.95"),
            operators("gradients", "gradients of RMSNorm, of LayerNorm's weights and bias, of cross-entropy", "^(rmsnorm_backward|layernorm_weights|cross_entropy_backward)", "ratio >= 1.00", "each >= 0.93"),
            operators("others", "cross-entropy, sums, maxima, argmax, cumsum, RoPE, transposes, permutation, convolution, embedding", "^(cross_entropy |rowsum|rowmax|colsum|argmax|cumsum|rope|transpose|permute|conv1d|embedding)", "ratio >= 1.00", "each >= 0.93"),
            operators("orders", "sorts with places, 16,384 rows of 1,024 and 8,192 of 4,096; the 8 largest of 256, the 64 largest of 4,096", "^(sort|top)", "ratio >= 1.00"),
            operators("gemv", "GEMV, 4,096×4,096 to 128,256×4,096", "^gemv ", "ratio >= 1.00"),
            operators("batches", "GEMV of a batch, Walsh-Hadamard transforms of 1,024 and 4,096, max pooling", "^(gemv_batch|hadamard|maxpool) ", "ratio >= 1.00", "each >= 0.93"),
        ),
    ),
    Table(
        "Attention in full, and linear attention's family, on Hopper",
        "`sm_90a`, ptxas 13.0, torch 2.11.0+cu130, Triton 3.6, fla-core 0.6.0, mamba_ssm e9594ce; the card stands in the remarks. Plain "
        "programs as `benchmarks/program.py` prints them; of each problem the fastest of a few configurations.",
        (
            Set("family-forward", "forward with LSE, D 64 to 256, full and causal, GQA, MQA, MLA prefill", "bf16", "TFLOP/s", "attention_family.py run FOLDER", "the best of torch's backends", ("ratio >= 1.08",), 0.01),
            Set("family-masked", "window, unequal lengths, bias, 4 tokens in decode: what torch's backends take as a mask", "bf16", "TFLOP/s", "attention_family.py run FOLDER", "the best of torch's backends"),
            Set("family-alone", "forward: sinks, ALiBi, soft-capping, packed lengths, no peer", "bf16", "TFLOP/s", "attention_family.py run FOLDER"),
            Set("family-fp8", "forward, 2 × 16 × 8192 × 128, full, results of bf16", "fp8 e4m3", "TFLOP/s", "attention_family.py run FOLDER", "", ("ours >= 900",)),
            Set("family-backward", "backward, D 64 and 128, full and causal, atomic and ordered; with preprocessing", "bf16", "TFLOP/s", "attention_family.py run FOLDER", "the best of torch's backends", ("ratio >= 1.05",)),
            Set("family-backward-gqa", "backward, GQA 32:4, causal", "bf16", "TFLOP/s", "attention_family.py run FOLDER", "the best of torch's backends", ("ratio >= 1.05",)),
            Set("family-decode", "decode GQA 64:8, 1 to 128 sequences of 1,024 to 131,072", "bf16", "TB/s", "attention_family.py run FOLDER", "the best of torch's backends", ("ratio >= 1.10",)),
            Set("family-paged", "decode, pages of 64, 16 and 1", "bf16", "TB/s", "attention_family.py run FOLDER"),
            Set("family-mla", "MLA decode, 64 and 128 sequences of 8,192, 128 heads", "bf16", "TFLOP/s", "attention_family.py run FOLDER", "", ("ours >= 560",)),
            Set("recurrent-linear", "chunked linear attention and simple GLA", "bf16", "TB/s", "recurrent.py run FOLDER --graph", "flash-linear-attention", ("ratio >= 1.10",)),
            Set("recurrent-delta", "delta rule and gated delta rule", "bf16", "TB/s", "recurrent.py run FOLDER --graph", "flash-linear-attention", ("ratio >= 1.10",)),
            Set("recurrent-mamba2", "Mamba-2 scan, 8 × 2,048, 80 heads", "bf16", "TB/s", "recurrent.py run FOLDER --graph", "the better of mamba_ssm and fla", ("ratio >= 1.10",)),
        ),
    ),
    Table(
        "Quantized weights, experts and fp8 with scales of blocks, on Hopper",
        "`sm_90a`, ptxas 13.0, torch 2.11.0+cu130; the card stands in the remarks. Plain programs as `benchmarks/program.py` prints them; of "
        "each problem the fastest of a few configurations. L2 is flushed before each launch.",
        (
            quantized("few-16", "1 to 64 rows, weights of 16 to 64 MB; the ratio is the share of a copy", "16 MB", "a copy", ("ratio >= 0.50",), "TB/s", "^copy$"),
            quantized("few-64", "1 to 64 rows, weights of 64 MB and more; the ratio is the share of a copy", "64 MB", "a copy", ("ratio >= 0.70",), "TB/s", "^copy$"),
            quantized("read-16", "1 to 64 rows, weights of 16 to 64 MB", "16 MB", "a kernel that only reads as many bytes", (), "TB/s", "^read$"),
            quantized("read-64", "1 to 64 rows, weights of 64 MB and more", "64 MB", "a kernel that only reads as many bytes", (), "TB/s", "^read$"),
            quantized("many", "128 to 4,096 rows", "many rows", "our GEMM of f16", ("ratio >= 0.85",), "TFLOP/s", "^f16$"),
            experts("experts-product", "grouped product: Mixtral, Qwen, DeepSeek-V3, 1,024 to 16,384 tokens", "product", "`torch._grouped_mm`", "ratio >= 1.05", against="^grouped_mm$"),
            experts("experts-product-dense", "grouped product, 512 rows an expert and more in the mean", "product", "one dense product of as many rows, cuBLAS", "ratio >= 0.85", match=" 16384", against="^dense$"),
            experts("experts-fp8", "grouped product with scales of rows and columns", "fp8", "`torch._scaled_grouped_mm`", against="^scaled_grouped_mm$", element="fp8 e4m3"),
            experts("experts-gate-up", "gate and up: rows gathered, two products, SwiGLU", "gate_up", "`torch._grouped_mm`, indexing and SwiGLU", against="^torch$"),
            experts("experts-down", "down: product, weights, sum of a token's copies", "down", "`torch._grouped_mm`, `index_add_`", against="^grouped_mm, index_add$"),
            experts("experts-masked", "experts with room for equally many rows, 64 tokens", "masked", "`torch.bmm` of all rows", against="^bmm$"),
            experts("experts-input-gradient", "gradient of the rows", "input_gradient", "`torch._grouped_mm`", against="^grouped_mm$"),
            experts("experts-weight-gradient", "gradient of the weights", "weight_gradient", "`torch._grouped_mm`", against="^grouped_mm$"),
            experts("block-rows", "scales of 1 × 128 and 128 × 128, shapes of DeepSeek-V3", "block", "`_scaled_mm`, scales of rows and columns", "ratio >= 0.88", against="^rows$", element="fp8 e4m3"),
            experts("block-blocks", "scales of 1 × 128 and 128 × 128, N in whole blocks", "block", "`_scaled_mm`, the same scales", "ratio >= 1.00", against="^blocks$", element="fp8 e4m3"),
            experts("experts-gating", "gating: the 8 largest of 64 to 256 and their softmax", "gating", "torch.compile", against="^compiled$", element="f32", unit="TB/s"),
        ),
    ),
    Table(
        "GEMM by mma.sync",
        "One NVIDIA H200, compiled for `sm_90`: what architectures without wgmma get.",
        (
            Set("sm90-8192", "8192³", "f16", "TFLOP/s", "gemm_sm90.py run FOLDER --pairs 3 --rep 20", "cuBLAS", mode="sm_90", match="^8192$", best=True, bar=("ours >= 400",)),
            Set("sm90-4096", "4096³", "f16", "TFLOP/s", "gemm_sm90.py run FOLDER --pairs 3 --rep 20", "cuBLAS", mode="sm_90", match="^4096$", best=True),
            Set("sm90-padded", "4093×4099×4001, rows padded", "f16", "TFLOP/s", "gemm_sm90.py run FOLDER --pairs 3 --rep 20", "our 4096³", bar=("ratio >= 0.70",)),
            Set("sm90-contiguous", "4093×4099×4001, contiguous", "f16", "TFLOP/s", "gemm_sm90.py run FOLDER --pairs 3 --rep 20", "cuBLAS", mode="sm_90", match="odd, dense"),
        ),
    ),
    Table(
        "Launches and compile times",
        "Launches on one NVIDIA H200; everything else on two cores of a Xeon, release preset, whole processes.",
        (
            Set("launch-checked", "a launch with every check, beyond `cuLaunchKernel`", "", "µs", "launch-overhead", bar=("ours <= 2",)),
            Set("launch-trusting", "a launch that trusts its arguments", "", "µs", "launch-overhead"),
            Set("launch-prepared", "a prepared launch", "", "µs", "launch-overhead"),
            Set("compile-ptx", "`examples/gemm_hopper.mlir` for sm_90a, to PTX", "f16", "ms", "gemm_hopper.py compile", bar=("ours <= 250",)),
            Set("compile-cubin", "`examples/gemm_hopper.mlir` for sm_90a, to machine code", "f16", "ms", "gemm_hopper.py compile", bar=("ours <= 600",)),
            Set("compile-tunable", "`gemm_tunable.mlir` to PTX, 1,440 combinations ranked", "f16", "ms", "tile-translate --tile-to-ptx"),
            Set("compile-gemm", "`gemm.mlir` for sm_90a, to PTX", "f16", "ms", "tile-translate --tile-to-ptx", bar=("ours <= 200",)),
            Set("compile-growth", "x of time ~ n^x, 100 to 3,000 copies in a kernel, to PTX, the worst of eight series", "", "", "test/Matrix/growth.py", bar=("ours <= 1.2",)),
            Set("empty-module", "`tile-opt` on an empty module", "", "ms", "tile-opt", bar=("ours <= 40",)),
            Set("tool-size", "the largest tool, stripped (tile-run)", "", "MB", "strip", bar=("ours <= 60",)),
            Set("tune", "`tile-run --tune` of `gemm_tunable.mlir`, 8 of 720 candidates", "f16", "s", "tile-run --target=cuda --tune"),
            Set("cpu-gemm", "1024³ on the CPU", "f32", "GFLOP/s", "tile-run --target=cpu --bench", "numpy", bar=("ratio >= 0.20",)),
            Set("lowered-gemm", "256×512×128 for sm_90a, executed thread by thread", "f16", "s of CPU", "tile-run --stage=lowered --check"),
            Set("lowered-matrix", "694 kernels of the matrix, executed thread by thread", "", "s", "test/Matrix/lowered_test.py"),
        ),
    ),
    Table(
        "Python, without a GPU",
        "Two shared cores of a Xeon, Debian's CPython 3.11 unless stated; the mock driver where there is a launch.",
        (
            Set("python-tests", "TileLang's tests of public kernels, unmodified, on the CPU", "", "pass", "acceptance/run.py --set tests", bar=("ratio >= 0.60",)),
            Set("python-examples", "TileLang's example scripts, unmodified, some at smaller sizes", "", "pass", "acceptance/run.py --set examples", bar=("ours == all",)),
            Set("python-rows", "scripts of TileLang's regression suite, on the CPU", "", "pass", "acceptance/run.py --set rows", bar=("ours >= 36",)),
            Set("python-import", "`import mlir_tile`, the slowest", "", "ms", "acceptance/run.py", bar=("ours <= 100",)),
            Set("python-language", "`import mlir_tile.language`", "", "ms of CPU", "acceptance/run.py", bar=("ours <= 100",)),
            Set("python-compile", "GEMM 2048×1024×1024 to an artifact for sm_90a, cold cache", "f16", "s", "compile_speed.py", bar=("ours <= 0.4",)),
            Set("python-cached", "GEMM 2048×1024×1024 from the cache on disk, the slowest", "f16", "ms", "compile_speed.py", bar=("ours <= 5",)),
            Set("python-build", "building the GEMM's module; the first takes 6.8 ms", "f16", "ms", "compile_speed.py"),
            Set("python-launch", "a launch with three tensors, beyond the driver's", "f32", "µs", "benchmarks/python/launch.py --mock", bar=("ours <= 1",)),
            Set("python-zoo", "TileLang's compile benchmark, core-seconds a kernel, the slowest family that ends", "", "s", "compile_speed.py TILELANG --scale 1", bar=("ours <= 0.35",)),
            Set("python-softmax", "a softmax of 32×2048 in registers, to PTX", "f32", "s", "compile_speed.py TILELANG --scale 1"),
            Set("python-wheel", "the wheel, manylinux_2_34", "", "MB", "scripts/wheel.sh", bar=("ours <= 25",)),
            Set("python-wheel-tests", "tests in a fresh environment of CPython 3.10 to 3.13", "", "pass", "scripts/wheel.sh", bar=("ours == all",)),
        ),
    ),
    Table(
        "Python on a GPU",
        "One NVIDIA H200, its machine's CPython 3.12 and PyTorch 2.11; TileLang 0.1.15 compiles the same scripts there.",
        (
            Set("quickstart-1024", "TileLang's quickstart GEMM, 128×128×32, 3 stages, 128 threads, 1024³", "f16", "TFLOP/s", "benchmarks/python/as_written.py", "TileLang", bar=("ratio >= 1.0",)),
            Set("quickstart-4096", "the same, 4096³", "f16", "TFLOP/s", "benchmarks/python/as_written.py", "TileLang", bar=("ratio >= 1.0",)),
            Set("written-1024", "18 GEMMs as people write them, 1024³", "f16", "TFLOP/s", "benchmarks/python/as_written.py", "TileLang", bar=("each >= 1.0",)),
            Set("written-4096", "the same, 4096³", "f16", "TFLOP/s", "benchmarks/python/as_written.py", "TileLang", bar=("each >= 1.0",)),
            Set("written-8192", "the same, 8192³", "f16", "TFLOP/s", "benchmarks/python/as_written.py", "TileLang", bar=("each >= 1.0",)),
            Set("gpu-launch", "a launch with three tensors, beyond the driver's", "f32", "µs", "benchmarks/python/launch.py", bar=("ours <= 1",)),
            Set("gpu-launch-torch", "the same against `torch.add(out=)`", "f32", "µs", "benchmarks/python/launch.py", "PyTorch", bar=("ratio >= 1.25",)),
            Set("gpu-launch-lazy", "a call of a compiled kernel, its output given", "f32", "µs", "benchmarks/python/launch.py --tilelang", "TileLang", bar=("ratio >= 2.0",)),
            Set("gpu-launch-eager", "the same in the eager style, output given", "f32", "µs", "benchmarks/python/launch.py --tilelang", "TileLang", bar=("ratio >= 4.0",)),
            Set("gpu-launch-empty", "the same, output by `T.empty`", "f32", "µs", "benchmarks/python/launch.py --tilelang", "TileLang", bar=("ratio >= 2.86",)),
            Set("gpu-first", "GEMM 4096³ from its script to its result, nothing cached", "f16", "s", "test/GPU/run_python.py --only compile", bar=("ours <= 0.4",)),
            Set("gpu-disk", "a hit of the cache on disk, loaded", "f32", "ms", "test/GPU/python_launch.py", bar=("ours <= 5",)),
            Set("gpu-zoo", "TileLang's compile benchmark, core-seconds a kernel", "", "s", "compile_speed.py TILELANG", bar=("ours <= 0.35",)),
            Set("gpu-tune", "tuning GEMM 4096³ over 40 configurations", "f16", "s", "test/GPU/run_python.py --only tune", bar=("ours <= 15",)),
            Set("gpu-examples", "TileLang's example scripts, unmodified", "", "pass", "test/GPU/check_all.sh", bar=("ours == all",)),
            Set("gpu-rows", "scripts of TileLang's regression suite, unmodified", "", "pass", "test/GPU/check_all.sh", bar=("ours >= 36",)),
            Set("gpu-latencies", "latencies of that suite's cases, by its own measure", "", "µs", "test/GPU/run_python.py --only latencies", "TileLang", bar=("ratio >= 1.0",)),
            Set("gpu-tests", "TileLang's tests of public kernels, unmodified", "", "pass", "test/GPU/check_all.sh", bar=("ratio >= 0.60",)),
            Set("tilekernels-times", "kernels of TileKernels' benchmarks, by CUDA graphs", "", "", "test/GPU/libraries.py --times", "TileLang", bar=("ratio >= 1.0",)),
        ),
    ),
    Table(
        "Right or wrong",
        "What runs on a GPU ran on an NVIDIA H200 (where a remark says so an H100), every output poisoned first and compared with numpy or float32.",
        (
            Set("random-cuda", "fresh random programs on a GPU", "", "wrong", "test/Fuzz/shards.sh --paths cuda,…", bar=("ours <= 0",)),
            Set("random-lowered", "fresh random programs, executed thread by thread for three architectures", "", "findings", "test/Fuzz/shards.sh --paths lowered:…", bar=("ours <= 0",)),
            Set("random-before", "programs that were wrong or faulted before", "", "right", "test/GPU/random_cases.sh", bar=("ours == all",)),
            Set("gallery", "`examples/gallery`, 30 kernels at two or three shapes", "", "right", "test/Gallery/gallery_test.py --cuda", bar=("ours == all",)),
            Set("user-paths", "paths of a user, no PyTorch in any process", "", "right", "test/GPU/user_paths.py", bar=("ours == all",)),
            Set("hopper-kernels", "kernels of Hopper: stages, clusters, roles, splits, epilogues", "", "right", "test/GPU/run_hopper.py run", bar=("ours == all",)),
            Set("hopper-stress", "launches back to back, and alone", "", "right", "test/GPU/run_hopper.py stress", bar=("ours == all",)),
            Set("matrix-sm90", "the kernel matrix for `sm_90`", "", "right", "test/GPU/run_gpu_matrix.py", bar=("ours == all",)),
            Set("matrix-sparse", "the kernel matrix of sparse products, for `sm_90` and `sm_90a`", "", "right", "test/GPU/run_gpu_matrix.py --only '^sparse'", bar=("ours == all",)),
            Set("matrix-sm90a", "the kernel matrix for `sm_90a`", "", "right", "test/GPU/run_gpu_matrix.py", bar=("ours == all",)),
            Set("all-arguments", "functions of f32 on all 2³² arguments, within their bounds", "f32", "right", "test/GPU/all_arguments.py", bar=("ours == all",)),
            Set("random-threads", "random programs for single threads, in Python, on a GPU", "", "right", "test/python/random_threads.py --targets cuda", bar=("ours == all",)),
            Set("tileops-tests", "smoke tests of TileOPs, unmodified", "", "pass", "test/GPU/libraries.py", bar=("ours == all",)),
            Set("tilekernels-tests", "tests of TileKernels, unmodified", "", "pass", "test/GPU/libraries.py", bar=("ours == all",)),
            Set("sanitizer", "compute-sanitizer: racecheck, synccheck, memcheck", "", "hazards", "compute-sanitizer", bar=("ours <= 0",)),
            Set("large-indices", "elements beyond 2³¹", "", "right", "test/GPU/large_indices.py", bar=("ours == all",)),
            Set("seeded-faults", "faults put into 11 lowered programs", "", "found", "test/Lowered", bar=("ours == all",)),
            Set("mutations", "mutated inputs through the tools: crashes, hangs, silent failures", "", "failures", "scripts/mutate.py", bar=("ours <= 0",)),
        ),
    ),
)
SETS = {s.name: s for table in TABLES for s in table.sets}


def measurements(mode, rows):
    """Lines for results.jsonl from the rows that a benchmark script measured in a mode: one for each set that has any."""
    for chosen in SETS.values():
        problems = []
        for row in rows:
            if not chosen.mode or row["mode"] != mode or chosen.mode != mode or not re.search(chosen.match, row["problem"]):
                continue
            peers = [p for name, p in row["peers"].items() if re.search(chosen.against, name)]
            problems += [
                dict(problem=row["problem"], ours=row["ours"], peer=p.get("rate"), ratio=p["ratio"], low=p["low"], high=p["high"])
                for p in peers[:1]
            ]
        if chosen.best:
            problems = sorted(problems, key=lambda p: p["ours"])[-1:]
        if problems:
            digits = dict.fromkeys(("ratio", "low", "high"), 3)
            rest = 2 if chosen.unit == "TB/s" else 1
            rounded = [
                {k: round(v, digits.get(k, rest)) if isinstance(v, float) else v for k, v in p.items()}
                for p in problems
            ]
            yield dict(set=chosen.name, problems=rounded)
