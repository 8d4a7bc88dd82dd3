//! The single writer.
pub mod frame;
