"""The words that log records begin with, and when each is written. A test finds every word that the code uses here."""

EVENTS = {
    "attempt_rejected": "no node could ever take these bytes",
    "broadcast_unanswered": "a node did not answer a broadcast; the bytes may have been sent and are sent again",
    "chain_changed": "a network's nodes serve another chain than before; its relayers are disabled",
    "checkpoint_failed": "the embedded store could not fold its log into the main file; it tries again later",
    "configuration": "a warning about the file or the environment; `warning` has its text",
    "draining": "the service was asked to stop and finishes what is under way",
    "foreign_log": "a library logged something; `message` has its text",
    "fsync_failed": "the disk refused to make a write durable; the process must be started anew",
    "head_unreachable": "the newest block could not be read; it is asked for again",
    "lane_lost": "another node took a lane over",
    "lane_reload": "a lane read its open work anew because another write came first",
    "lane_turn_failed": "a lane's turn met a bug of ours; the next turn starts afresh",
    "lane_waits": "a lane waits for an outage to end",
    "listening": "the service answers requests",
    "local_chain_started_anew": "a local chain lost its past; what was open on it has failed",
    "network_unreachable": "no node of a network answers",
    "relayer_entry_applied_again": "a relayer's entry in the file changed since the last start",
    "relayer_removed": "a relayer is no longer in the file; it only finishes what is open",
    "relayer_without_network": "a removed relayer's network is gone from the file too; it cannot be read any more",
    "request_crashed": "a request met a bug of ours; the client was answered 500",
}
