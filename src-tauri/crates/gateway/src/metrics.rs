//! Metrics in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The upper bounds of the buckets of handing an answer over, in seconds.
const DELIVERY_BUCKETS: [f64; 8] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.25, 1.0];
/// The upper bounds of the buckets of waiting for the person, in seconds.
const WAIT_BUCKETS: [f64; 8] = [1.0, 5.0, 15.0, 60.0, 300.0, 1_800.0, 7_200.0, 86_400.0];

/// Counts of this run.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    calls: BTreeMap<(&'static str, &'static str), u64>,
    errors: BTreeMap<&'static str, u64>,
    delivery: Histogram<8>,
    wait: Histogram<8>,
    connections: u64,
    connections_refused: u64,
}

#[derive(Debug)]
struct Histogram<const N: usize> {
    buckets: [u64; N],
    count: u64,
    sum: f64,
}

impl<const N: usize> Default for Histogram<N> {
    fn default() -> Self {
        Self { buckets: [0; N], count: 0, sum: 0.0 }
    }
}

impl<const N: usize> Histogram<N> {
    fn observe(&mut self, bounds: &[f64; N], value: f64) {
        self.count += 1;
        self.sum += value;
        for (bucket, bound) in self.buckets.iter_mut().zip(bounds) {
            *bucket += u64::from(value <= *bound);
        }
    }

    fn write(&self, into: &mut String, name: &str, help: &str, bounds: &[f64; N]) {
        head(into, name, help, "histogram");
        for (bucket, bound) in self.buckets.iter().zip(bounds) {
            let _ = writeln!(into, "{name}_bucket{{le=\"{bound}\"}} {bucket}");
        }
        let _ = writeln!(into, "{name}_bucket{{le=\"+Inf\"}} {}", self.count);
        let _ = writeln!(into, "{name}_sum {}\n{name}_count {}", self.sum, self.count);
    }
}

impl Metrics {
    /// Counts a call that has come to an end.
    pub fn called(&self, tool: &'static str, outcome: &'static str) {
        *self.counts().calls.entry((tool, outcome)).or_default() += 1;
    }

    /// Counts a refusal.
    pub fn refused(&self, code: &'static str) {
        *self.counts().errors.entry(code).or_default() += 1;
    }

    /// Notes how long it took from the person's answer until it was written out.
    pub fn delivered(&self, took: Duration) {
        self.counts().delivery.observe(&DELIVERY_BUCKETS, took.as_secs_f64());
    }

    /// Notes how long a call waited for its end.
    pub fn waited(&self, took: Duration) {
        self.counts().wait.observe(&WAIT_BUCKETS, took.as_secs_f64());
    }

    /// Counts a connection, taken or not.
    pub fn connected(&self, taken: bool) {
        let mut counts = self.counts();
        match taken {
            true => counts.connections += 1,
            false => counts.connections_refused += 1,
        }
    }

    /// Returns all of it as text, with how many questions are open.
    pub fn text(&self, open: usize) -> String {
        let counts = self.counts();
        let mut text = String::with_capacity(2_048);
        head(&mut text, "askdesk_open_requests", "Questions that wait for the user.", "gauge");
        let _ = writeln!(text, "askdesk_open_requests {open}");
        head(&mut text, "askdesk_calls_total", "Calls that have ended, by tool and outcome.", "counter");
        for ((tool, outcome), count) in &counts.calls {
            let _ = writeln!(text, "askdesk_calls_total{{tool=\"{tool}\",outcome=\"{outcome}\"}} {count}");
        }
        head(&mut text, "askdesk_errors_total", "Requests that were refused, by code.", "counter");
        for (code, count) in &counts.errors {
            let _ = writeln!(text, "askdesk_errors_total{{code=\"{code}\"}} {count}");
        }
        head(&mut text, "askdesk_connections_total", "Connections that were taken.", "counter");
        let _ = writeln!(text, "askdesk_connections_total {}", counts.connections);
        head(
            &mut text,
            "askdesk_connections_refused_total",
            "Connections that were one too many.",
            "counter",
        );
        let _ = writeln!(text, "askdesk_connections_refused_total {}", counts.connections_refused);
        let help = "From the user's answer until it was written out.";
        counts.delivery.write(&mut text, "askdesk_answer_handover_seconds", help, &DELIVERY_BUCKETS);
        let help = "From a call until its end.";
        counts.wait.write(&mut text, "askdesk_wait_seconds", help, &WAIT_BUCKETS);
        text
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn head(into: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(into, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_told_in_lines() {
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
