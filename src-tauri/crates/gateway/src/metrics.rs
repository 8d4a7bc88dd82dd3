//! Metrics in the OpenMetrics text format, which Prometheus reads.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// The buckets for delivering an answer, in seconds.
const DELIVERY_BUCKETS: [f64; 8] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.25, 1.0];
/// The buckets for waiting for the user, in seconds.
const WAIT_BUCKETS: [f64; 8] = [1.0, 5.0, 15.0, 60.0, 300.0, 1_800.0, 7_200.0, 86_400.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    tool: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ErrorLabels {
    code: &'static str,
}

/// The metrics since the start of the gateway.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    open: Gauge,
    calls: Family<CallLabels, Counter>,
    errors: Family<ErrorLabels, Counter>,
    connections: Counter,
    connections_refused: Counter,
    delivery: Histogram,
    wait: Histogram,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("askdesk"),
            open: Gauge::default(),
            calls: Family::default(),
            errors: Family::default(),
            connections: Counter::default(),
            connections_refused: Counter::default(),
            delivery: Histogram::new(DELIVERY_BUCKETS),
            wait: Histogram::new(WAIT_BUCKETS),
        };
        let registry = &mut metrics.registry;
        registry.register("open_requests", "Questions waiting for the user", metrics.open.clone());
        registry.register("calls", "Calls that have ended, by tool and outcome", metrics.calls.clone());
        registry.register("errors", "Rejected requests, by code", metrics.errors.clone());
        registry.register("connections", "Accepted connections", metrics.connections.clone());
        let help = "Connections over the limit";
        registry.register("connections_refused", help, metrics.connections_refused.clone());
        let help = "Time from the user's answer until the response was written";
        registry.register("answer_handover_seconds", help, metrics.delivery.clone());
        registry.register("wait_seconds", "Time from a call until its end", metrics.wait.clone());
        metrics
    }
}

impl Metrics {
    pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// Counts a call that has ended.
    pub fn called(&self, tool: &'static str, outcome: &'static str) {
        self.calls.get_or_create(&CallLabels { tool, outcome }).inc();
    }

    /// Counts a request that was rejected.
    pub fn refused(&self, code: &'static str) {
        self.errors.get_or_create(&ErrorLabels { code }).inc();
    }

    /// Records how long the delivery of an answer took.
    pub fn delivered(&self, took: Duration) {
        self.delivery.observe(took.as_secs_f64());
    }

    /// Records how long a call waited.
    pub fn waited(&self, took: Duration) {
        self.wait.observe(took.as_secs_f64());
    }

    /// Counts a connection, accepted or not.
    pub fn connected(&self, accepted: bool) {
        match accepted {
            true => self.connections.inc(),
            false => self.connections_refused.inc(),
        };
    }

    /// Returns all metrics. `open` is the current number of open questions.
    pub fn text(&self, open: usize) -> String {
        self.open.set(i64::try_from(open).unwrap_or(i64::MAX));
        let mut text = String::new();
        if let Err(error) = encode(&mut text, &self.registry) {
            tracing::error!(%error, "the metrics could not be formatted");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_formatted_as_lines() {
        let metrics = Metrics::default();
        metrics.called("ask_user", "answered");
        metrics.called("ask_user", "answered");
        metrics.refused("unauthorized");
        metrics.delivered(Duration::from_millis(3));
        metrics.connected(true);
        let text = metrics.text(4);
        for line in [
            "askdesk_open_requests 4",
            "askdesk_calls_total{tool=\"ask_user\",outcome=\"answered\"} 2",
            "askdesk_errors_total{code=\"unauthorized\"} 1",
            "askdesk_answer_handover_seconds_bucket{le=\"0.002\"} 0",
            "askdesk_answer_handover_seconds_bucket{le=\"0.005\"} 1",
            "askdesk_answer_handover_seconds_bucket{le=\"+Inf\"} 1",
            "askdesk_connections_total 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }
}
