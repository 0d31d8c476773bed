"""D1, D2 under kill -9: a process that writes is killed at any moment; every answer it gave stands after the restart."""

import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.faults.judge import Acknowledged, judge
from tests.rounds import rounds

KILLS_PER_FOLDER = 10
ROOT = Path(__file__).parents[2]


@contextmanager
def _writing(folder: Path, round_number: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.faults.writing", str(folder), str(round_number)]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", "PATH": ""}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()


def _kill_after(process: subprocess.Popen[str], answers: int, acknowledged: Acknowledged) -> None:
    """Kills once that many answers were seen, then takes in what was said until the end."""
    assert process.stdout is not None
    assert process.stderr is not None
    for count, line in enumerate(process.stdout, start=1):
        word, _, name = line.strip().partition(" ")
        (acknowledged.accepted if word == "accepted" else acknowledged.signed).append(name)
        if count == answers:
            process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, process.stderr.read()


@pytest.mark.torture
def test_a_killed_process_loses_nothing_it_answered(tmp_path: Path) -> None:
    dice = random.Random(9)
    acknowledged = Acknowledged()
    for round_number in range(rounds(quick=4, full=100)):
        if round_number % KILLS_PER_FOLDER == 0:  # a store that was killed again and again, but not an endless one
            acknowledged = Acknowledged()
        folder = tmp_path / str(round_number // KILLS_PER_FOLDER)
        with _writing(folder, round_number) as process:
            _kill_after(process, dice.randint(1, 1_500), acknowledged)
        verdict = judge(folder, acknowledged)
        assert verdict.lost == [], f"round {round_number}"
        assert verdict.broken == [], f"round {round_number}"
    assert len(acknowledged.signed) > 0
