"""The name for JSON at the borders, the one place where `Any` is honest."""

from typing import Any

Json = Any
