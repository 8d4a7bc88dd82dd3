//! What is on the screen, read from the memory of the private display: the only measure that no program can flatter.

use std::fs::File;
use std::io::BufWriter;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::now_ms;

/// Names the file in which the private display keeps its pixels, as `cargo xtask bench` sets it.
const FRAMEBUFFER: &str = "ASKDESK_FRAMEBUFFER";
/// Every how many rows are compared. No letter is lower than this.
const ROWS: usize = 4;
/// How often the screen is read.
const LOOK: Duration = Duration::from_millis(3);

/// The screen, in the format of X Window dumps (`XWDFile.h`): a header of big-endian words, a color map, rows of 4 bytes a pixel.
pub struct Screen {
    file: File,
    rows_at: u64,
    row_bytes: usize,
    width: usize,
    height: usize,
}

/// What was seen from the start of a program until the screen was quiet.
pub struct Seen {
    /// When something changed, in milliseconds.
    pub changes: Vec<f64>,
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Screen {
    pub fn open() -> Self {
        let path = std::env::var_os(FRAMEBUFFER).expect("`cargo xtask bench` names the display's memory");
        let file = File::open(PathBuf::from(path)).unwrap();
        let mut header = [0; 100];
        file.read_exact_at(&mut header, 0).unwrap();
        let word = |n: usize| u32::from_be_bytes(header[4 * n..4 * n + 4].try_into().unwrap()) as usize;
        let (header_bytes, width, height, row_bytes, colors) =
            (word(0), word(4), word(5), word(12), word(19));
        assert_eq!(word(11), 32, "a pixel has four bytes");
        Self { file, rows_at: (header_bytes + 12 * colors) as u64, row_bytes, width, height }
    }

    /// Watches until nothing has changed for as long as `quiet`, or for as long as `patience` if nothing changes at all.
    pub fn watch(&self, before: Vec<u8>, quiet: Duration, patience: Duration) -> Seen {
        let mut seen = Seen { changes: Vec::new(), first: Vec::new(), last: before };
        let mut now = vec![0; seen.last.len()];
        let began = now_ms();
        loop {
            self.read_sample(&mut now);
            let at_ms = now_ms();
            if seen.last != now {
                if seen.changes.is_empty() {
                    seen.first = self.picture();
                }
                seen.changes.push(at_ms);
                std::mem::swap(&mut seen.last, &mut now);
            }
            let (since, limit) = seen.changes.last().map_or((began, patience), |last| (*last, quiet));
            if at_ms - since > limit.as_secs_f64() * 1e3 {
                seen.last = self.picture();
                return seen;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Returns the rows that are compared.
    pub fn sample(&self) -> Vec<u8> {
        let mut sample = vec![0; self.height.div_ceil(ROWS) * self.row_bytes];
        self.read_sample(&mut sample);
        sample
    }

    fn read_sample(&self, sample: &mut [u8]) {
        for (n, row) in sample.chunks_exact_mut(self.row_bytes).enumerate() {
            self.file.read_exact_at(row, self.rows_at + (n * ROWS * self.row_bytes) as u64).unwrap();
        }
    }

    fn picture(&self) -> Vec<u8> {
        let mut picture = vec![0; self.height * self.row_bytes];
        self.file.read_exact_at(&mut picture, self.rows_at).unwrap();
        picture
    }

    /// Writes the first picture that was seen, and the last.
    pub fn save(&self, seen: &Seen, folder: &Path, name: &str) {
        std::fs::create_dir_all(folder).unwrap();
        for (which, picture) in [("first", &seen.first), ("settled", &seen.last)] {
            let file = File::create(folder.join(format!("{name}-{which}.png"))).unwrap();
            let mut png = png::Encoder::new(BufWriter::new(file), self.width as u32, self.height as u32);
            png.set_color(png::ColorType::Rgb);
            let rows = picture.chunks_exact(self.row_bytes);
            let pixels = rows.flat_map(|row| row[..self.width * 4].chunks_exact(4));
            let rgb: Vec<u8> = pixels.flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
            png.write_header().unwrap().write_image_data(&rgb).unwrap();
        }
    }
}
