//! Draws the sound: two soft tones, the second a fourth above the first. `UPDATE_SOUND=1` writes it anew.

use std::f64::consts::TAU;

use super::{WAVES, file_in};

/// Samples in a second; speech and such tones need no more.
const RATE: u32 = 16_000;

/// When each tone begins, in seconds, and how high it is, in hertz: E and A.
const TONES: [(f64, f64); 2] = [(0.0, 659.255), (0.13, 880.0)];

const SECONDS: f64 = 0.55;
const LOUDNESS: f64 = 0.3;

/// The most bytes that the sound may add to the app.
const MOST_BYTES: usize = 30_000;

fn samples() -> Vec<i16> {
    let count = (f64::from(RATE) * SECONDS).round();
    let at = |n: f64| {
        let now = n / f64::from(RATE);
        let tones = TONES.iter().map(|(begin, height)| tone(now - begin, *height)).sum::<f64>();
        let fade = ((SECONDS - now) / 0.03).min(1.0);
        #[expect(clippy::cast_possible_truncation, reason = "a cast keeps to the bounds of what it casts to")]
        let sample = (tones * fade * LOUDNESS * f64::from(i16::MAX)).round() as i16;
        sample
    };
    std::iter::successors(Some(0.0), |n| Some(n + 1.0)).take_while(|n| *n < count).map(at).collect()
}

/// One tone, like a small bell: there at once, then fading.
fn tone(since: f64, height: f64) -> f64 {
    if since < 0.0 {
        return 0.0;
    }
    let strength = (since / 0.008).min(1.0) * (-since / 0.11).exp();
    strength * ((TAU * height * since).sin() + 0.25 * (2.0 * TAU * height * since).sin())
}

fn file(samples: &[i16]) -> Vec<u8> {
    let bytes = u32::try_from(samples.len() * 2).unwrap();
    let mut file = Vec::new();
    file.extend_from_slice(b"RIFF");
    file.extend((36 + bytes).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    file.extend(16_u32.to_le_bytes());
    // Plain samples, on one channel.
    file.extend(1_u16.to_le_bytes());
    file.extend(1_u16.to_le_bytes());
    file.extend(RATE.to_le_bytes());
    file.extend((RATE * 2).to_le_bytes());
    file.extend(2_u16.to_le_bytes());
    file.extend(16_u16.to_le_bytes());
    file.extend_from_slice(b"data");
    file.extend(bytes.to_le_bytes());
    file.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    file
}

#[test]
fn the_kept_sound_is_the_one_that_is_drawn_here() {
    let drawn = file(&samples());
    if std::env::var_os("UPDATE_SOUND").is_some() {
        let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/src-tauri/src/notify/sound/question.wav");
        std::fs::write(kept, &drawn).unwrap();
        return;
    }
    assert_eq!(drawn.len(), WAVES.len());
    assert_eq!(drawn[..44], WAVES[..44]);
    // Systems differ in the last place of a sine.
    let pairs = drawn[44..].chunks_exact(2).zip(WAVES[44..].chunks_exact(2));
    let far = pairs.filter(|(drawn, kept)| {
        let [drawn, kept] = [drawn, kept].map(|it| i16::from_le_bytes([it[0], it[1]]));
        drawn.abs_diff(kept) > 1
    });
    assert_eq!(far.count(), 0);
}

#[test]
fn it_is_short_small_and_soft_and_begins_and_ends_in_silence() {
    let samples = samples();
    assert!(WAVES.len() < MOST_BYTES, "{}", WAVES.len());
    assert!(samples.len() < RATE as usize, "{}", samples.len());
    let loudest = samples.iter().map(|sample| sample.unsigned_abs()).max().unwrap();
    assert!((i16::MAX as u16 / 4..i16::MAX as u16 / 2).contains(&loudest), "{loudest}");
    assert_eq!(samples[0], 0);
    assert!(samples[samples.len() - 1].unsigned_abs() < 10);
}

#[test]
fn the_file_for_the_desktop_is_put_where_it_is_missing_or_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let file = file_in(folder.path()).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), WAVES);
    std::fs::write(&file, "half").unwrap();
    assert_eq!(file_in(folder.path()), Some(file.clone()));
    assert_eq!(std::fs::read(&file).unwrap(), WAVES);
    assert_eq!(file_in(&folder.path().join("gone")), None);
}
