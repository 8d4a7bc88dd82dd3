//! Compares pictures of the window.

use std::collections::BTreeMap;
use std::path::Path;

/// The edge of the squares that are compared, in pixels. In each the text may be drawn a little differently.
const SQUARE: usize = 16;
/// By how much the mean of a color channel may differ between two squares that look alike.
const ALIKE: i64 = 16;
/// The largest share of squares that may look different: times, ages, and the width of letters.
const TOLERATED: f64 = 0.003;

struct Picture {
    width: usize,
    channels: usize,
    bytes: Vec<u8>,
}

fn read(png: &[u8]) -> Picture {
    let mut picture = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut bytes = vec![0; picture.output_buffer_size().unwrap()];
    let info = picture.next_frame(&mut bytes).unwrap();
    bytes.truncate(info.buffer_size());
    Picture { width: info.width as usize, channels: info.color_type.samples(), bytes }
}

pub fn is_one_color(png: &[u8]) -> bool {
    let Picture { channels, bytes, .. } = read(png);
    bytes.chunks_exact(channels).all(|pixel| pixel == &bytes[..channels])
}

/// Fails if the guide has a picture of this name that no longer shows the window as it is.
pub fn compare_with_guide(name: &str, now: &[u8]) {
    let file = format!("docs/pictures/{name}.png");
    let Ok(in_guide) = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file)) else { return };
    let share = difference(&in_guide, now);
    assert!(
        share <= TOLERATED,
        "{file} no longer shows the window: {:.1} % differs. If the window is right, run this test with \
         ASKDESK_PICTURES set to a folder, and take the picture from there",
        share * 100.0
    );
}

/// Returns the share of squares that don't look alike, from 0 to 1.
fn difference(one: &[u8], other: &[u8]) -> f64 {
    let [one, other] = [one, other].map(|png| means(&read(png)));
    if !one.keys().eq(other.keys()) {
        return 1.0;
    }
    let look_alike = |one: &[i64; 3], other: &[i64; 3]| (0..3).all(|at| (one[at] - other[at]).abs() <= ALIKE);
    let changed = one.values().zip(other.values()).filter(|(one, other)| !look_alike(one, other)).count();
    changed as f64 / one.len() as f64
}

/// Returns the mean color of each square, by its row and column.
fn means(picture: &Picture) -> BTreeMap<(usize, usize), [i64; 3]> {
    let mut sums: BTreeMap<_, ([i64; 3], i64)> = BTreeMap::new();
    for (at, pixel) in picture.bytes.chunks_exact(picture.channels).enumerate() {
        let square = (at / picture.width / SQUARE, at % picture.width / SQUARE);
        let (sum, count) = sums.entry(square).or_default();
        *count += 1;
        for (sum, value) in sum.iter_mut().zip(pixel) {
            *sum += i64::from(*value);
        }
    }
    sums.into_iter().map(|(square, (sum, count))| (square, sum.map(|sum| sum / count))).collect()
}
