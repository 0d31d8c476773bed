"""Which page of a list a client asked for, and which one it gets."""

from dataclasses import dataclass

DEFAULT_PER_PAGE = 10
LAST_PAGE = 10**12  # beyond every list, and far within what a store can multiply


@dataclass(frozen=True, slots=True)
class Paging:
    page: int = 1
    per_page: int = DEFAULT_PER_PAGE

    def within(self, per_page_limit: int) -> "Paging":
        """What is really used: page 0 is page 1, more than the limit is the limit. Answers show this one."""
        return Paging(min(max(self.page, 1), LAST_PAGE), min(self.per_page, per_page_limit))
