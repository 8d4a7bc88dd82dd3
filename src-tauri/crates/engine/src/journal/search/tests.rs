use proptest::prelude::*;
use rstest::rstest;
use uuid::Uuid;

use super::super::{Journal, Opened};
use super::*;

const NOW: Timestamp = Timestamp::from_millis(86_400_000_000);

fn session(n: u128) -> SessionId {
    SessionId::new(Uuid::from_u128(n))
}

fn said(of: u128, n: u64, text: &str) -> (SessionId, Entry) {
    (session(of), Entry { n, at: NOW, body: EntryBody::Agent { text: text.to_owned() } })
}

fn open(folder: &tempfile::TempDir) -> (Journal, Reader) {
    let Opened { journal, .. } = Journal::open(folder.path(), NOW).unwrap();
    let reader = journal.reader().unwrap();
    (journal, reader)
}

/// The positions of all that is found.
fn found(reader: &Reader, text: &str) -> Vec<u64> {
    reader.search(text, u32::MAX - 1, 0).unwrap().hits.iter().map(|hit| hit.n).collect()
}

/// The entries in an index.
fn held(journal: &Journal, matches: &str) -> Vec<i64> {
    let mut statement = journal.connection.prepare(&format!("{matches} ORDER BY found")).unwrap();
    let rows = statement.query_map(["hay"], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Writes so many entries with the same word.
fn fill(journal: &mut Journal, count: u64) {
    let entries: Vec<_> = (1..=count).map(|n| said(1, n, "hay")).collect();
    journal.commit_entries(&entries).unwrap();
}

#[test]
fn the_small_indexes_have_the_newest_entries_only() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    let all = 3 * STRETCH + 10;
    fill(&mut journal, all as u64);
    assert_eq!(held(&journal, IN_WORDS).len() as i64, all);
    assert_eq!(held(&journal, IN_RECENT_WORDS), (2 * STRETCH..=all).collect::<Vec<_>>());
    // What has left it doesn't come back when it changes.
    journal.commit_entries(&[said(1, 3, "hay needle"), said(1, all as u64 - 20, "hay needle")]).unwrap();
    assert_eq!(held(&journal, IN_RECENT_WORDS), (2 * STRETCH..=all).collect::<Vec<_>>());
    assert_eq!(found(&reader, "needle"), [all as u64 - 20, 3]);
}

#[test]
fn a_page_that_the_small_indexes_fill_does_not_ask_the_large_one() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    fill(&mut journal, 60);
    journal.connection.execute_batch("DELETE FROM words").unwrap();
    let page = |offset| reader.search("ha", 20, offset).unwrap();
    let ns = |found: &FoundEntries| found.hits.iter().map(|hit| hit.n).collect::<Vec<_>>();
    assert_eq!((ns(&page(0)), page(0).more), ((41..=60).rev().collect(), true));
    assert_eq!((ns(&page(20)), page(20).more), ((21..=40).rev().collect(), true));
    assert!(page(0).hits.iter().all(|hit| hit.matched == "hay"));
    // Nothing shows that it has all.
    assert_eq!(page(40), FoundEntries::default());
}

#[test]
fn pages_go_on_to_the_oldest_match_where_the_small_indexes_end() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    fill(&mut journal, 60);
    journal.connection.execute_batch("DELETE FROM even_words WHERE rowid <= 33").unwrap();
    let pages: Vec<_> = (0..3).map(|page| reader.search("hay", 20, page * 20).unwrap()).collect();
    assert_eq!(pages.iter().map(|page| page.more).collect::<Vec<_>>(), [true, true, false]);
    let paged: Vec<u64> = pages.iter().flat_map(|page| &page.hits).map(|hit| hit.n).collect();
    assert_eq!(paged, (1..=60).rev().collect::<Vec<_>>());
}

#[test]
fn the_newest_matches_are_read_in_the_order_of_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let (_journal, reader) = open(&folder);
    for matches in [IN_WORDS, IN_RECENT_WORDS] {
        let plan: Vec<String> = reader
            .query(|connection| {
                let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", newest(matches)))?;
                let rows = statement.query_map(params!["hay", 51, 0], |row| row.get(3))?;
                rows.collect()
            })
            .unwrap();
        assert!(
            plan.iter().any(|step| step.contains("_words VIRTUAL") || step.contains("SCAN words VIRTUAL"))
        );
        assert!(
            plan.iter().any(|step| step.contains("SEARCH searched USING INTEGER PRIMARY KEY")),
            "{plan:?}"
        );
        // To sort the matches, SQLite would read all of them.
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{plan:?}");
    }
}

#[test]
fn a_database_with_indexes_of_another_kind_gets_them_anew_and_what_it_had_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    fill(&mut journal, 3);
    // The indexes as they were before.
    journal
        .connection
        .execute_batch(
            "DROP TABLE even_words;
             DROP TABLE odd_words;
             DROP TABLE words;
             CREATE VIRTUAL TABLE words USING fts5 (
                 text, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
             );
             INSERT INTO words (rowid, text) SELECT id, 'hay' FROM searched;",
        )
        .unwrap();
    drop((journal, reader));
    let (mut journal, reader) = open(&folder);
    assert_eq!(found(&reader, "hay"), [3, 2, 1]);
    journal.commit_entries(&[said(1, 2, "straw"), said(1, 4, "hay")]).unwrap();
    assert_eq!((found(&reader, "hay"), found(&reader, "straw")), (vec![4, 3, 1], vec![2]));
    assert_eq!((held(&journal, IN_WORDS), held(&journal, IN_RECENT_WORDS)), (vec![1, 3, 4], vec![1, 3, 4]));
}

#[test]
fn indexes_made_anew_have_what_the_ones_before_had() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    fill(&mut journal, 2 * STRETCH as u64 + 10);
    let before = (held(&journal, IN_WORDS), held(&journal, IN_RECENT_WORDS));
    let older = "DROP TABLE words; CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1)";
    journal.connection.execute_batch(older).unwrap();
    drop((journal, reader));
    let (journal, _reader) = open(&folder);
    assert_eq!((held(&journal, IN_WORDS), held(&journal, IN_RECENT_WORDS)), before);
}

#[rstest]
#[case::chinese("请修改数据库连接", "数据库", "数据库")]
#[case::two_letters("请修改数据库连接", "连接", "连接")]
#[case::one_letter("请修改数据库连接", "库", "库")]
#[case::with_a_space("请修改数据库连接", "连接 修改", "修改")]
#[case::in_quotes("请修改数据库连接", "“数据”", "数据")]
#[case::beyond_the_first_plane("用𠮷野家的字", "𠮷野", "𠮷野")]
#[case::beside_latin("用API读取数据v2版", "api", "API")]
#[case::latin_begun("用API读取数据v2版", "ap", "AP")]
#[case::mixed("用API读取数据v2版", "api读取", "API读取")]
#[case::japanese("データベースの接続を変更する", "接続", "接続")]
#[case::katakana("データベースの接続を変更する", "ベース", "ベース")]
#[case::kana_in_the_other_form("データベースの接続", "テ\u{3099}ータ", "データ")]
#[case::thai("แก้ไขการเชื่อมต่อฐานข้อมูล", "ฐานข้อมูล", "ฐานข้อมูล")]
#[case::thai_begun("แก้ไขการเชื่อมต่อฐานข้อมูล", "เชื่อ", "เชื่อ")]
#[case::hangul("데이터베이스를 바꿔 주세요", "베이스", "베이스")]
#[case::hangul_in_parts("데이터베이스를 바꿔", "\u{1107}\u{1166}\u{110b}\u{1175}", "베이")]
#[case::khmer("កែប្រែមូលដ្ឋានទិន្នន័យ", "ទិន្នន័យ", "ទិន្នន័យ")]
#[case::an_accent("Le café est fermé", "cafe", "café")]
#[case::an_accent_in_parts("Le cafe\u{301} est fermé", "café", "café")]
#[case::an_accent_asked_for("the cafe", "café", "cafe")]
#[case::hindi("डेटाबेस की जाँच", "जाँच", "जाँच")]
#[case::after_a_sign("❤\u{fe0f}login now", "login", "login")]
fn case_119_search_finds_words_inside_a_text_without_spaces(
    #[case] text: &str,
    #[case] asked: &str,
    #[case] matched: &str,
) {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    journal.commit_entries(&[said(1, 1, text), said(1, 2, "something else, 库 数 据 ว น 스")]).unwrap();
    let hits = reader.search(asked, 10, 0).unwrap().hits;
    let hit = hits.iter().find(|hit| hit.n == 1).unwrap();
    let shown = format!("{}{}{}", hit.before, hit.matched, hit.after);
    assert_eq!(joined_scripts::join(&joined_scripts::part(text)), shown);
    assert!(hit.matched.starts_with(matched), "{}", hit.matched);
}

#[rstest]
#[case::letters_in_another_order("请修改数据库连接", "库数据")]
#[case::letters_apart("请修改数据库连接", "数库")]
#[case::another_vowel("เวลาดี", "ดู")]
#[case::another_tone("ป่าไม้", "ป้า")]
#[case::inside_a_latin_word("the dataset", "set")]
fn search_finds_no_other_words(#[case] text: &str, #[case] asked: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    journal.commit_entries(&[said(1, 1, text)]).unwrap();
    assert_eq!(found(&reader, asked), [0; 0]);
}

#[test]
fn an_excerpt_of_a_text_without_spaces_is_as_long_as_one_of_words() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, reader) = open(&folder);
    let text = format!("{}数据库{}", "前".repeat(100), "后".repeat(100));
    journal.commit_entries(&[said(1, 1, &text)]).unwrap();
    let hit = reader.search("数据库", 10, 0).unwrap().hits.remove(0);
    assert_eq!(hit.matched, "数据库");
    assert!((hit.before.chars().count() + hit.after.chars().count()) > 50, "{hit:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_part_of_a_text_without_spaces_is_found(
        text in proptest::collection::vec(proptest::sample::select(LETTERS.to_vec()), 1..24),
        from in 0_usize..24,
        length in 1_usize..6,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, reader) = open(&folder);
        let from = from % text.len();
        let asked = text[from..text.len().min(from + length)].concat();
        journal.commit_entries(&[said(1, 1, &text.concat())]).unwrap();
        let hits = reader.search(&asked, 10, 0).unwrap().hits;
        prop_assert_eq!(hits.len(), 1, "{}", asked);
        let hit = &hits[0];
        prop_assert!(hit.matched.starts_with(&asked), "{:?} {}", hit, asked);
        prop_assert_eq!(format!("{}{}{}", hit.before, hit.matched, hit.after), text.concat());
    }
}

/// Letters of scripts that are written without spaces, with their marks.
const LETTERS: [&str; 16] =
    ["数", "据", "库", "デ", "ー", "タ", "の", "々", "ที่", "ก", "ข้", "า", "데", "이", "を", "𠮷"];
