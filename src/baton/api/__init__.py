"""HTTP in, HTTP out; no rules.

bytes ─▶ protocol (deadlines, head limit) ─▶ asgi (token, route, rate) ─▶ a resource's endpoint ─▶ commands
"""
