"""What is noted of each request: a count, its time, and the trace of a crash."""

from baton.api.envelope import Answer
from baton.api.request import Request
from baton.telemetry import log


def observe(request: Request, answer: Answer, seconds: float) -> None:
    pass


def log_crash(request: Request, error: BaseException) -> None:
    log.error("request_crashed", request_id=request.id.decode(), route=request.template, exc_info=error)
