"""Configuration: one file (JSON or TOML) and the environment → frozen values; all mistakes reported at once.

file.py       reads the document, checks what refers to what       load_config, read_config
sections.py   relayers, signers, notifications                     policies.py, networks.py: their larger parts
settings.py   the table of environment variables                   environment.py: reads them
reading.py    readers that know their place                        secret.py: {type, value}
"""

from baton.config.entries import (
    Config,
    KeystoreFile,
    NotificationEntry,
    RawKey,
    RelayerEntry,
    SignerEntry,
    seed_hash,
)
from baton.config.file import load_config, read_config
from baton.config.policies import parse_policy, show_policy
from baton.config.reading import At, Findings
from baton.config.secret import Secret, Sources
from baton.config.sections import read_relayer
from baton.config.settings import SETTINGS, Setting, Settings

__all__ = [
    "SETTINGS",
    "At",
    "Config",
    "Findings",
    "KeystoreFile",
    "NotificationEntry",
    "RawKey",
    "RelayerEntry",
    "Secret",
    "Setting",
    "Settings",
    "SignerEntry",
    "Sources",
    "load_config",
    "parse_policy",
    "read_config",
    "read_relayer",
    "seed_hash",
    "show_policy",
]
