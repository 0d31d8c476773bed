"""The composition root: the only room that names concrete chains, signers and stores.

service.py   the whole service from enter to exit      lines.py   the chains, their makers and lanes
kept.py      secrets of the embedded mode
"""

from baton.app.kept import local_token
from baton.app.service import Running, running

__all__ = ["Running", "local_token", "running"]
