//! Pages are read as SQLite reads them.

use rstest::rstest;
use rusqlite::Connection;

use super::*;

fn all_of(pages: &mut Pages) -> Vec<Record> {
    (1..=pages.count).flat_map(|n| pages.records(n).unwrap()).collect()
}

#[rstest]
#[case::numbers("(id INTEGER PRIMARY KEY, a, b, c, d, e)", "7, 0, 1, -1, -5000000000, 9223372036854775807")]
#[case::others("(id TEXT PRIMARY KEY, a, b, c)", "'Łódź', NULL, 1.5, x'00ff'")]
#[case::a_key("(id TEXT PRIMARY KEY, a, b) WITHOUT ROWID", "'key', NULL, 300")]
#[case::long("(id INTEGER PRIMARY KEY, a, b)", "-3, hex(zeroblob(5000)), zeroblob(3)")]
#[case::long_with_a_key("(id TEXT PRIMARY KEY, a) WITHOUT ROWID", "'key', hex(zeroblob(60000)) || 'end'")]
fn records_are_read_as_sqlite_reads_them(
    #[case] table: &str,
    #[case] record: &str,
    #[values(512, 4_096, 65_536)] size: u32,
) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any.db");
    let connection = Connection::open(&path).unwrap();
    let made = format!(
        "PRAGMA page_size = {size}; PRAGMA secure_delete = OFF; CREATE TABLE t {table}; INSERT INTO t VALUES ({record})"
    );
    connection.execute_batch(&made).unwrap();
    let mut statement = connection.prepare("SELECT * FROM t").unwrap();
    let columns = statement.column_count();
    let values: Vec<Value> =
        statement.query_row([], |row| (0..columns).map(|column| row.get(column)).collect()).unwrap();
    let mut pages = Pages::open(&path).unwrap();
    let read = all_of(&mut pages);
    assert!(read.iter().any(|record| record.values == values), "{read:?}");
    assert!(pages.are_sound());
    drop(statement);

    // Neither what was deleted nor a free page is read.
    connection.execute_batch("DELETE FROM t; DROP TABLE t").unwrap();
    let mut pages = Pages::open(&path).unwrap();
    assert_eq!(all_of(&mut pages), []);
    assert!(pages.are_sound());
}

#[rstest]
#[case::nothing(&[])]
#[case::noise(&[0xa5; 9_000])]
#[case::a_page_of_noise_that_lists_cells(&[0x0d; 9_000])]
#[case::text(b"these are my holiday notes")]
fn what_is_no_database_has_no_records(#[case] bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any.db");
    std::fs::write(&path, bytes).unwrap();
    let mut pages = Pages::open(&path).unwrap();
    let _ = all_of(&mut pages);
    assert_eq!(pages.are_sound(), bytes.is_empty());
}

#[rstest]
fn what_no_record_uses_is_overwritten_and_every_record_stays(#[values(512, 4_096, 65_536)] size: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any.db");
    let connection = Connection::open(&path).unwrap();
    let words =
        "printf('%s of %d %s', iif(value % 3, 'secret', 'kept'), value, hex(zeroblob(value * value % 2900)))";
    let made = format!(
        "PRAGMA page_size = {size}; PRAGMA secure_delete = OFF; CREATE TABLE t (id INTEGER PRIMARY KEY, words);
         CREATE INDEX i ON t (words); CREATE TABLE gone (words);
         WITH RECURSIVE number(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number LIMIT 600)
         INSERT INTO t SELECT value, {words} FROM number;
         INSERT INTO gone SELECT words FROM t WHERE id % 3; DELETE FROM t WHERE id % 3; DROP TABLE gone;"
    );
    connection.execute_batch(&made).unwrap();
    drop(connection);
    let mut bytes = std::fs::read(&path).unwrap();
    let has_secret = |bytes: &[u8]| bytes.windows(6).any(|part| part == b"secret");
    assert!(has_secret(&bytes));
    let stretch = 1..u32::try_from(bytes.len() / size).unwrap() + 1;
    let page = |n: u32| {
        Ok::<_, ()>((n as usize).checked_sub(1).and_then(|n| bytes.chunks(size).nth(n)).map(<[u8]>::to_vec))
    };
    let free = free(&bytes, &stretch, page).unwrap();
    let overwrite = |bytes: &mut [u8]| {
        let pages = stretch.clone().zip(bytes.chunks_mut(size));
        pages
            .filter_map(|(n, page)| overwrite_unused(page, n == 1, free.get(&n).copied()).then_some(n))
            .count()
    };
    assert!(overwrite(&mut bytes) > 0);
    assert!(!has_secret(&bytes));
    assert_eq!(overwrite(&mut bytes), 0);
    std::fs::write(&path, &bytes).unwrap();
    let connection = Connection::open(&path).unwrap();
    let sound =
        "SELECT (SELECT * FROM pragma_integrity_check) || ' ' || count(*) || ' ' || min(words) FROM t";
    let sound: String = connection.query_row(sound, [], |row| row.get(0)).unwrap();
    assert!(sound.starts_with("ok 200 kept of "), "{sound}");
}
