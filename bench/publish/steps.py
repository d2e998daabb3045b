"""The measurements of ./dev publish: one step for each file of a run. A step's inputs are a list beside this file or in
bench/, and, where it says so, the folder of real matrices."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """`command`: words of spress, `{threads}` being all of the machine. `inputs`: a list of inputs below bench/.
    `real`: takes the real matrices: "all", or one by name. `way`: how it is run (publish.py)."""
    name: str
    command: tuple
    inputs: str = ""
    smoke_inputs: str = "publish/smoke.txt"
    real: str = ""
    way: str = "append"
    seconds: float | None = None  # for each row


ALL_ORDERS = ("analyze", "--orderings", "none,rcm,cm-nodes,apart")
COMPRESSED_COO = ("analyze", "--orderings", "none", "--formats", "csr,coo,bccoo,bccoo-gpu")
GPU = ("bench", "--device", "cuda")

ANYWHERE = (
    Step("bytes", ALL_ORDERS, real="all", way="analyze"),
    Step("bytes-large", COMPRESSED_COO, "publish/large.txt", way="analyze"),
    Step("orderings", (), real="all", way="orderings"),
)

CPU = (
    Step("cpu-1", ("bench", "--threads", "1"), "cpu_collection.txt", seconds=0.4),
    Step("cpu-2", ("bench", "--threads", "2"), "cpu_collection.txt", seconds=0.4),
    Step("cpu-all", ("bench", "--threads", "{threads}"), "cpu_collection.txt", seconds=0.4),
    Step("cpu-all-few", ("bench", "--threads", "{threads}"), "publish/few_values.txt", seconds=0.4),
)

CUDA = (
    Step("gpu", GPU, "gpu_collection.txt", seconds=0.05),
    Step("gpu-float", (*GPU, "--value", "float"), "publish/regular.txt", seconds=0.05),
    Step("gpu-sizes", (*GPU, "--formats", "csr,hyb,ell-csr", "--values", "raw", "--no-peers"), "publish/sizes.txt",
         seconds=0.15),
    Step("gpu-ordered", (*GPU, "--formats", "csr,sell,slice-delta,amb"), "publish/shuffled.txt",
         "publish/smoke_shuffled.txt", way="ordered", seconds=0.05),
    Step("auto", (*GPU, "--formats", "all,auto", "--no-peers", "--no-bandwidth"), "publish/auto.txt", seconds=0.02),
    Step("transfer", ("transfer", "--value", "double", "--memory", "pinned"), "transfer_collection.txt", real="bcsstm25",
         seconds=0.02),
    Step("transfer-large", ("transfer", "--value", "double", "--memory", "pinned", "--values", "raw"),
         "fem3d_collection.txt", seconds=0.05),
    Step("solve", ("solve", "--device", "cuda"), "publish/solve.txt", "publish/smoke_solve.txt", way="each"),
    Step("solve-uneven", ("solve", "--device", "cuda", "--formats", "csr,hyb,ell-csr", "--switch", "hyb,ell-csr", "--value",
                          "double"), "publish/solve_uneven.txt", "publish/smoke_solve.txt", way="each"),
)


def steps_for(device, threads):
    """CPU steps on more threads than the machine has, or on as many as another step, are left out."""
    cpu = [step for step in CPU if not (step.name == "cpu-2" and threads < 2)
           and not (step.name.startswith("cpu-all") and threads < 3)]
    return [*ANYWHERE, *cpu, *(CUDA if device == "cuda" else ())]
