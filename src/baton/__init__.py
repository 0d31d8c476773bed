"""Baton carries blockchain transactions across the line, and tells you at every turn."""

__version__ = "0.1.0"
