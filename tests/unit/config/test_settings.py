"""Settings: each read from its environment variable, wrong ones reported together, secrets never shown."""

import base64
from dataclasses import fields
from ipaddress import ip_network
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.config import SETTINGS, Findings, Settings
from baton.config.environment import UNSERVED, read_settings

KEY = base64.b64encode(bytes(range(32))).decode()


def read(environ: dict[str, str], *, is_local: bool = False) -> tuple[Settings, Findings]:
    findings = Findings()
    return read_settings(environ, findings, is_local=is_local), findings


def test_an_empty_environment_gives_the_defaults() -> None:
    found, findings = read({})
    assert found == Settings()
    assert (found.host, found.port, found.rate_per_s, found.rate_burst) == ("0.0.0.0", 8080, 100, 300)
    assert (found.max_body_bytes, found.max_json_depth, found.max_head_bytes) == (512 * 1024, 32, 16 * 1024)
    assert findings == Findings()


def test_the_local_mode_listens_on_loopback_unless_told_otherwise() -> None:
    assert read({}, is_local=True)[0].host == "127.0.0.1"
    assert read({"HOST": "::"}, is_local=True)[0].host == "::"


def test_values_are_read() -> None:
    found, findings = read(
        {
            "API_KEY": "k" * 32,
            "APP_PORT": "9000",
            "RATE_LIMIT_REQUESTS_PER_SECOND": "0.5",
            "STORAGE_ENCRYPTION_KEY": KEY,
            "DATABASE_URL": "postgresql://u:p@h/d",
            "LOG_LEVEL": "WARN",
            "LOG_FORMAT": "compact",
            "METRICS_ENABLED": "false",
            "BATON_DATA_DIR": "/var/lib/baton",
            "WEBHOOK_ALLOWED_CIDRS": "10.0.0.0/8, fd00::/8",
        }
    )
    assert findings == Findings()
    assert (found.port, found.rate_per_s, found.storage_key) == (9000, 0.5, bytes(range(32)))
    assert (found.log_level, found.log_format, found.metrics_enabled) == ("warning", "pretty", False)
    assert found.data_dir == Path("/var/lib/baton")
    assert found.webhook_allowed_cidrs == (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


def test_an_empty_variable_counts_as_unset() -> None:
    assert read({"API_KEY": "", "APP_PORT": "", "METRICS_PORT": ""})[0] == Settings()


def test_all_wrong_values_are_reported_at_once_with_what_was_expected() -> None:
    _, findings = read({"APP_PORT": "eighty", "LOG_FORMAT": "xml", "BATON_MAX_JSON_DEPTH": "9999"})
    assert findings.mistakes == [
        'APP_PORT: found "eighty", expected an integer from 0 to 65535',
        'BATON_MAX_JSON_DEPTH: found "9999", expected an integer from 4 to 200',
        'LOG_FORMAT: found "xml", expected one of json, pretty, compact',
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("STORAGE_ENCRYPTION_KEY", "hunter22"),
        ("STORAGE_ENCRYPTION_KEY", base64.b64encode(b"hunter22").decode()),
        ("STORAGE_ENCRYPTION_KEY_PREVIOUS", "hunter22\ud800"),
        ("DATABASE_URL", "mysql://hunter22@h/d"),
        ("API_KEY", "hunter22\n"),
    ],
)
def test_a_wrong_secret_is_not_shown(name: str, value: str) -> None:
    _, findings = read({name: value})
    assert len(findings.mistakes) == 1
    assert "hunter22" not in findings.mistakes[0]
    assert value not in findings.mistakes[0]


def test_secrets_do_not_show_in_the_repr() -> None:
    found, _ = read(
        {"API_KEY": "hunter22" * 5, "DATABASE_URL": "postgres://hunter22@h/d", "STORAGE_ENCRYPTION_KEY": KEY}
    )
    assert "hunter22" not in repr(found)
    assert repr(bytes(range(32))) not in repr(found)


@pytest.mark.parametrize("key", ["two words" * 4, " " + "k" * 32, "k" * 32 + "\t", "clé" * 12])
def test_an_api_key_that_no_header_can_carry_is_a_mistake(key: str) -> None:
    found, findings = read({"API_KEY": key})
    assert found.api_key is None
    expected = "visible ASCII characters without blanks"
    assert findings.mistakes == [f"API_KEY: found something else (not shown), expected {expected}"]


def test_a_short_api_key_is_a_warning() -> None:
    found, findings = read({"API_KEY": "short"})
    assert found.api_key == "short"
    assert len(findings.warnings) == 1
    assert "short" not in findings.warnings[0].replace("shorter", "")


def test_variables_of_the_peer_that_we_do_not_serve_are_warnings_that_say_what_they_would_do() -> None:
    _, findings = read({"REDIS_URL": "redis://x", "QUEUE_BACKEND": "sqs", "PLUGIN_MAX_CONCURRENCY": "1", "HOME": "/"})
    assert [warning.split(":")[0] for warning in findings.warnings] == [
        "PLUGIN_MAX_CONCURRENCY",
        "QUEUE_BACKEND",
        "REDIS_URL",
    ]
    assert not any("redis://x" in warning for warning in findings.warnings)


def test_a_mistyped_setting_is_a_warning_that_names_the_right_one() -> None:
    _, findings = read({"BATON_QUEUE_LIMT": "5"})
    assert findings.warnings == ["BATON_QUEUE_LIMT: no such setting; did you mean BATON_QUEUE_LIMIT?"]


def test_the_table_names_each_field_and_variable_once() -> None:
    assert [setting.field for setting in SETTINGS] == [item.name for item in fields(Settings)]
    names = [setting.name for setting in SETTINGS]
    assert len(set(names)) == len(names)
    assert not any(name.startswith(prefix) for name in names for prefix in UNSERVED)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(SETTINGS), st.text(max_size=40))
def test_no_text_whatever_breaks_the_reading(setting: object, value: str) -> None:
    name = setting.name  # type: ignore[attr-defined]
    _, findings = read({name: value})
    assert len(findings.mistakes) <= 1
