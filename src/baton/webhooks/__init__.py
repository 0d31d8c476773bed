"""Tells receivers what happened: at least once, per transaction in order, signed, through outages of days.

events without a position ─▶ feed (positions, deliveries) ─▶ dispatch (who has work) ─▶ courier (one receiver)
                                                                        courier ─▶ payload, signature, post ─▶ guard
"""
