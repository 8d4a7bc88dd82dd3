//! Recognizes the agent's own "Other". The lists are closed and compared whole: "Other users table" is an option.

/// What agents call it, in the languages that options are written in. Words that are also
/// something else, such as the name *Anders*, are left out: such an option would be lost.
const NAMES: &[&str] = &[
    "other",
    "other option",
    "other answer",
    "something else",
    "something different",
    "custom answer",
    "my own answer",
    "andere",
    "anderer",
    "anderes",
    "andere option",
    "andere antwort",
    "etwas anderes",
    "was anderes",
    "sonstige",
    "sonstiges",
    "eigene antwort",
    "其他",
    "其它",
    "其他选项",
    "其它选项",
    "其他選項",
    "其他答案",
    "别的",
    "別的",
    "自定义答案",
    "其他回答",
    "其他答复",
    "autre",
    "autres",
    "autre chose",
    "autre option",
    "autre réponse",
    "otro",
    "otra",
    "otros",
    "otra cosa",
    "otra opción",
    "otra respuesta",
    "altro",
    "altra",
    "altri",
    "altra opzione",
    "altra risposta",
    "qualcos'altro",
    "outro",
    "outra",
    "outros",
    "outra coisa",
    "outra opção",
    "outra resposta",
    "iets anders",
    "anders namelijk",
    "anders, namelijk",
    "ander antwoord",
    "andere optie",
    "annat",
    "något annat",
    "övrigt",
    "andet",
    "noget andet",
    "annet",
    "noe annet",
    "muu",
    "jokin muu",
    "inne",
    "inny",
    "inna odpowiedź",
    "inna opcja",
    "coś innego",
    "jiné",
    "jiný",
    "jiná",
    "jiná odpověď",
    "něco jiného",
    "iné",
    "egyéb",
    "valami más",
    "altul",
    "altceva",
    "alt răspuns",
    "drugo",
    "ostalo",
    "nešto drugo",
    "другое",
    "другой",
    "другая",
    "другой вариант",
    "другой ответ",
    "что-то другое",
    "иное",
    "свой вариант",
    "свой ответ",
    "інше",
    "інший варіант",
    "інша відповідь",
    "щось інше",
    "друго",
    "άλλο",
    "κάτι άλλο",
    "diğer",
    "başka",
    "başka bir şey",
    "diğer seçenek",
    "その他",
    "その他の回答",
    "その他の選択肢",
    "他の回答",
    "それ以外",
    "기타",
    "기타 의견",
    "다른 답변",
    "그 외",
    "其它答案",
    "khác",
    "lựa chọn khác",
    "câu trả lời khác",
    "อื่นๆ",
    "อื่น ๆ",
    "lainnya",
    "yang lain",
    "jawaban lain",
    "अन्य",
    "कुछ और",
    "أخرى",
    "غير ذلك",
    "אחר",
    "משהו אחר",
    "سایر",
];

/// What may follow: that the user is to write.
const INVITATIONS: &[&str] = &[
    "please specify",
    "please describe",
    "please explain",
    "specify",
    "describe",
    "explain",
    "specify below",
    "describe below",
    "type your own",
    "type your answer",
    "write your own",
    "write in",
    "free text",
    "custom",
    "i'll specify",
    "i’ll specify",
    "i'll explain",
    "i’ll explain",
    "bitte angeben",
    "bitte beschreiben",
    "bitte erläutern",
    "angeben",
    "freitext",
    "eigene angabe",
    "eigene eingabe",
    "请说明",
    "请注明",
    "请填写",
    "请描述",
    "请指定",
    "自定义",
    "请输入",
    "请补充",
    "請說明",
    "請填寫",
    "précisez",
    "préciser",
    "à préciser",
    "veuillez préciser",
    "merci de préciser",
    "especificar",
    "especifique",
    "especifica",
    "por favor especifique",
    "por favor, especifique",
    "especificar cuál",
    "indicar",
    "specificare",
    "specifica",
    "da specificare",
    "specificeer",
    "graag toelichten",
    "nämlich",
    "namelijk",
    "ange",
    "vänligen ange",
    "angiv",
    "spesifiser",
    "proszę podać",
    "podaj",
    "jaka",
    "upřesněte",
    "uveďte",
    "prosím upřesněte",
    "укажите",
    "указать",
    "уточните",
    "уточнить",
    "опишите",
    "напишите",
    "вкажіть",
    "уточніть",
    "具体的に",
    "記入",
    "自由記述",
    "自由回答",
    "自由入力",
    "具体的に記入してください",
    "具体的に入力してください",
    "入力してください",
    "記入してください",
    "ご記入ください",
    "직접 입력",
    "직접 작성",
    "구체적으로",
    "belirtiniz",
    "belirtin",
    "lütfen belirtin",
    "ghi rõ",
    "vui lòng ghi rõ",
    "sebutkan",
    "โปรดระบุ",
    "कृपया बताएं",
    "يرجى التحديد",
    "حدد",
];

/// Returns whether a label means nothing but an answer that isn't listed.
pub(super) fn is_other(label: &str) -> bool {
    let label = without_lead(label.trim().trim_matches('*')).to_lowercase();
    NAMES.iter().any(|name| {
        label.strip_prefix(name).is_some_and(|rest| {
            let rest = rest.trim_matches(is_between);
            rest.is_empty() || INVITATIONS.contains(&rest)
        })
    })
}

/// Takes off what stands before the words: a number or a letter of a list, or a sign.
fn without_lead(label: &str) -> &str {
    if let Some((lead, rest)) = label.split_once('、')
        && is_number(lead)
    {
        return rest.trim_start();
    }
    let Some((lead, rest)) = label.split_once(char::is_whitespace) else { return label };
    let number = lead.trim_start_matches(['(', '（']).strip_suffix(['.', ')', '）', ':', '：', '．']);
    let is_sign = !lead.chars().any(char::is_alphanumeric);
    if is_sign || number.is_some_and(is_number) { rest.trim_start() } else { label }
}

fn is_number(lead: &str) -> bool {
    let mut letters = lead.chars();
    match (letters.next(), letters.next(), letters.next()) {
        (Some(letter), None, None) => letter.is_alphanumeric(),
        (Some(first), Some(second), None) => first.is_ascii_digit() && second.is_ascii_digit(),
        _ => false,
    }
}

fn is_between(sign: char) -> bool {
    sign.is_whitespace()
        || matches!(
            sign,
            '.' | '…'
                | '。'
                | ':'
                | '：'
                | ','
                | '，'
                | '-'
                | '–'
                | '—'
                | '('
                | ')'
                | '（'
                | '）'
                | '['
                | ']'
                | '?'
                | '？'
        )
}
