//! What was tried, and how it ended.

use std::fmt;
use std::time::Instant;

/// Why a trial stopped, in words.
#[derive(Debug)]
pub struct Failure(String);

pub type Result<T> = std::result::Result<T, Failure>;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<&str> for Failure {
    fn from(words: &str) -> Self {
        Self(words.to_owned())
    }
}

pub fn failed<T>(words: String) -> Result<T> {
    Err(Failure(words))
}

/// Fails with these words unless something holds.
pub fn ensure(holds: bool, words: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { failed(words()) }
}

/// Counts what passed and what failed.
#[derive(Default)]
pub struct Report {
    passed: usize,
    failed: usize,
}

impl Report {
    /// Tries one thing. Later ones build on it, so its failure ends the trial.
    pub async fn step<T>(&mut self, name: &str, step: impl Future<Output = Result<T>>) -> Option<T> {
        let began = Instant::now();
        let result = step.await;
        let took = began.elapsed().as_secs_f64();
        match result {
            Ok(value) => {
                self.passed += 1;
                println!("ok      {name} ({took:.1} s)");
                Some(value)
            }
            Err(failure) => {
                self.failed += 1;
                println!("FAILED  {name} ({took:.1} s)\n{failure}");
                None
            }
        }
    }

    /// Prints the counts, and returns whether all passed.
    pub fn close(&self) -> bool {
        println!("{} passed, {} failed", self.passed, self.failed);
        self.failed == 0 && self.passed > 0
    }
}
