#!/usr/bin/env python3
"""Collections under a real Slurm: slurmctld and two slurmd on this machine, started here and ended here.

    slurm_test.py SPRESS

A job array of shards, of which one task is killed and queued again; ranks by srun, of which one is killed; ranks by
mpirun within a job. Skips (77) where Slurm, munge or the library for MPI are missing, or Slurm cannot start.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
sys.dont_write_bytecode = True
import support  # noqa: E402
from support import records_by_path  # noqa: E402

SPRESS = pathlib.Path(support.SPRESS)
PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "srun", "scontrol", "mpirun")
CONFIGURATION = """ClusterName=spress
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmctldPidFile={dir}/slurmctld.pid
SlurmctldLogFile={dir}/slurmctld.log
SlurmdPidFile={dir}/slurmd-%n.pid
SlurmdLogFile={dir}/slurmd-%n.log
SlurmdSpoolDir={dir}/spool-%n
StateSaveLocation={dir}/state
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={dir}/munge/socket,cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2 RealMemory=1000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2 RealMemory=1000
PartitionName=all Nodes=n1,n2 Default=YES State=UP
"""


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def run(*command, code=0, **kwargs):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=240, check=False, **kwargs)
    assert code is None or done.returncode == code, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def until(what, condition, seconds=120):
    deadline = time.time() + seconds
    while not condition():
        assert time.time() < deadline, f"{what} after {seconds} s"
        time.sleep(0.05)


# --- Slurm -----------------------------------------------------------------------------------------------------------

def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def start(folder):
    """Slurm's daemons, and munge's. Returns whether nodes are there."""
    munge = folder / "munge"
    munge.mkdir(mode=0o700)
    (munge / "key").write_bytes(os.urandom(1024))
    (munge / "key").chmod(0o400)
    (folder / "state").mkdir()
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(host=socket.gethostname().split(".")[0], dir=folder, ports=free_ports(3)))
    os.environ["SLURM_CONF"] = str(configuration)
    run("munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={folder}/munged.pid",
        f"--log-file={munge}/log", f"--seed-file={munge}/seed", code=None)
    for command in (["slurmctld"], ["slurmd", "-N", "n1"], ["slurmd", "-N", "n2"]):
        run(*command, code=None)
    for _ in range(100):
        if run("sinfo", "-h", "-N", "-o", "%T", code=None).stdout.split() == ["idle"] * 2:
            return True
        time.sleep(0.1)
    return False


def stop(folder):
    run("scancel", "--user=root", code=None)
    for file in folder.glob("*.pid"):
        with contextlib.suppress(OSError, ValueError):
            os.kill(int(file.read_text()), signal.SIGTERM)


def job(folder, name, lines, *options, code=0):
    """Runs a batch job to its end. Returns its number."""
    script = folder / f"{name}.sh"
    script.write_text("#!/bin/bash\n" + "\n".join(lines) + "\n")
    done = run("sbatch", "--wait", "-D", folder, "-o", folder / f"{name}-%a.out", *options, script, code=code)
    return re.search(r"batch job (\d+)", done.stdout)[1]


# --- What is tried ---------------------------------------------------------------------------------------------------

def array_of_shards(folder, alone):
    """The second of four tasks kills its run at the first record, until it is queued again."""
    number = job(folder, "array", [
        "i=$SLURM_ARRAY_TASK_ID",
        f"{SPRESS} analyze matrices -o part$i --shard $i/4 --jobs 1 -q > text$i &",
        "if [[ $i == 2 && -z $SLURM_RESTART_COUNT ]]; then",
        "  until [[ -s part2/results.jsonl ]]; do sleep 0.01; done; kill -9 $!",
        "fi",
        "wait $!"], "--array=1-4", "-n", "1", code=137)
    until("the array has ended", lambda: not run("squeue", "-h").stdout)
    done = len((folder / "part2" / "results.jsonl").read_text().splitlines())
    assert 0 < done < 3, f"the killed task has {done} records"
    run("scontrol", "requeue", f"{number}_2")
    until("the task has run again", lambda: (folder / "part2" / "summary.json").exists())
    run(SPRESS, "merge", *sorted(folder.glob("part?")), "-o", folder / "merged")
    assert records_by_path(folder / "merged") == alone


def ranks_by_srun(folder, alone):
    command = f"srun --mpi=pmix -n 2 {SPRESS} analyze matrices -o ranks --jobs 1"
    job(folder, "killed", [
        f"{command} -q > text &",
        "until [[ -s ranks/.spress.rank-1.jsonl ]]; do sleep 0.01; done",
        'for p in $(pgrep -f "analyze matrices -o ranks"); do',
        r"  tr '\0' '\n' < /proc/$p/environ | grep -qx PMIX_RANK=1 && kill -9 $p",
        "done",
        "wait %1"], "-n", "2", "-N", "1", code=None)
    said = (folder / "killed-4294967294.out").read_text()
    assert "left undone by processes that ended early" in said, said
    assert len(alone) - 2 <= len(records_by_path(folder / "ranks")) < len(alone)
    job(folder, "again", [command], "-n", "2", "-N", "1")
    assert records_by_path(folder / "ranks") == alone


def ranks_by_mpirun(folder, alone):
    job(folder, "mpirun", [f"mpirun -n 2 {SPRESS} analyze matrices -o by_mpirun"], "-n", "2", "-N", "1")
    assert records_by_path(folder / "by_mpirun") == alone
    summary = json.loads((folder / "by_mpirun" / "summary.json").read_text())
    assert summary["ranks"] == 2 and sum(summary["matrices_per_rank"]) == len(alone), summary["matrices_per_rank"]


def main():
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        skip(f"there is no {', '.join(missing)}")
    if not (SPRESS.parent / "libspress_mpi.so").exists():
        skip("this build has no MPI")
    if os.getuid() != 0:
        skip("only root starts Slurm's daemons here")
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory(prefix="spress_slurm_", ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        try:
            if not start(folder):
                logs = "".join(log.read_text()[-500:] for log in folder.glob("*.log"))
                skip(f"Slurm does not start here: {logs}")
            run(SPRESS, "encode", *[f"gen:stencil27,n={n}" for n in range(40, 52)], "-o", f"{folder}/matrices/")
            run(SPRESS, "analyze", "matrices", "-o", "alone", cwd=folder)
            alone = records_by_path(folder / "alone")
            for trial in (array_of_shards, ranks_by_srun, ranks_by_mpirun):
                trial(folder, alone)
                print("good:", trial.__name__)
        finally:
            stop(folder)


main()
