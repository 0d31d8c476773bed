"""The words that log records begin with, and when each is written. A test finds every word that the code uses here."""

EVENTS = {
    "checkpoint_failed": "the embedded store could not fold its log into the main file; it tries again later",
    "foreign_log": "a library logged something; `message` has its text",
    "fsync_failed": "the disk refused to make a write durable; the process must be started anew",
    "lane_reload": "a lane read its open work anew because another write came first",
    "request_crashed": "a request met a bug of ours; the client was answered 500",
}
