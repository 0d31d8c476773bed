"""Metrics: bounded labels, and counts that follow the store."""

from baton.telemetry import TRANSACTIONS, observe_request, render_metrics


def _page() -> str:
    return render_metrics()[0].decode()


def test_requests_are_counted_by_method_route_and_status_with_their_time() -> None:
    observe_request("GET", "/test/{id}", 200, 0.003)
    observe_request("GET", "/test/{id}", 404, 0.2)
    page = _page()
    assert 'baton_http_requests_total{method="GET",route="/test/{id}",status="404"} 1.0' in page
    assert 'baton_http_request_seconds_count{method="GET",route="/test/{id}"} 2.0' in page


def test_methods_that_a_client_invents_share_one_label() -> None:
    observe_request("BREW", "/odd", 405, 0.001)
    observe_request("POUR", "/odd", 405, 0.001)
    page = _page()
    assert 'baton_http_requests_total{method="OTHER",route="/odd",status="405"} 2.0' in page
    assert "BREW" not in page


def test_transactions_are_shown_as_counted_last() -> None:
    TRANSACTIONS.show({("evm-local", "pending"): 3, ("evm-local", "mined"): 1})
    assert 'baton_transactions{relayer="evm-local",status="pending"} 3.0' in _page()
    TRANSACTIONS.show({("evm-local", "confirmed"): 4})
    assert 'baton_transactions{relayer="evm-local",status="pending"}' not in _page()
    TRANSACTIONS.show({})


def test_the_process_is_described_and_the_type_is_prometheus_own() -> None:
    content, media = render_metrics()
    assert b"process_cpu_seconds_total" in content
    assert media.startswith("text/plain")
