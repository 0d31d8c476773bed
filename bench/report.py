"""Figures as lines: what was measured, what was aimed at, whether it was reached."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Report:
    title: str
    lines: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, what: str, value: str, aim: str = "") -> None:
        self.lines.append((what, value, aim))
        print(f"  {what:58} {value:>16}   {aim}", flush=True)

    def start(self) -> "Report":
        print(f"\n{self.title}", flush=True)
        return self
