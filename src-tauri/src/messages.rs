//! The shell's messages to people, by language. The page has its own catalogue.

use askdesk_api::RunningWork;
use askdesk_domain::Language;

pub const APP: &str = "Askdesk";

pub struct Messages {
    /// The notification button that shows the window.
    pub open: &'static str,
    /// The notification button that takes an answer back.
    pub undo: &'static str,
    /// The body of a notification whose answer could not be sent.
    pub not_sent: &'static str,
    /// A question of a session whose text is hidden.
    pub question_waits: &'static str,
    /// A permission request of a session whose text is hidden.
    pub permission_waits: &'static str,
    /// The body of the summary notification.
    pub more_waits: &'static str,
    /// The body of a notification about a finished turn.
    pub finished: &'static str,
    /// The tray entry that shows the window.
    pub open_window: &'static str,
    /// The tray submenu that pauses notifications.
    pub pause: &'static str,
    pub an_hour: &'static str,
    pub until_tomorrow: &'static str,
    /// The tray entry that quits the app.
    pub quit_app: &'static str,
    /// The title of the dialog before quitting.
    pub quit_title: &'static str,
    pub quit: &'static str,
    pub keep_running: &'static str,
    /// The title of the dialog that saves an export.
    pub save_export: &'static str,
    /// The title of the dialog that attaches files to a message.
    pub attach: &'static str,
    /// Messages with a value; private, so that a count is never shown without its plural form.
    templates: Templates,
}

struct Templates {
    sessions: [&'static str; 2],
    questions: [&'static str; 2],
    approvals: [&'static str; 2],
    /// Joins the counts.
    comma: &'static str,
    full_stop: &'static str,
    if_quit: &'static str,
    cannot_start: &'static str,
    and_more: &'static str,
    /// `{}` is the chosen option.
    answered: &'static str,
    asks_permission: &'static str,
    /// `{}` is the number of items that are not listed.
    and_others: &'static str,
    /// `{}` is the time of day at which the pause ends.
    notify_again: &'static str,
    waiting: [&'static str; 2],
}

pub fn of(language: Language) -> &'static Messages {
    match language {
        Language::En => &EN,
        Language::Zh => &ZH,
        Language::De => &DE,
    }
}

impl Messages {
    /// The text of the dialog before quitting: what it ends and what it keeps.
    pub fn running_work(&self, RunningWork { sessions, questions, approvals }: RunningWork) -> String {
        let Templates { comma, full_stop, if_quit, .. } = self.templates;
        let count = |count: usize, [one, more]: [&str; 2]| {
            (count > 0).then(|| fill(if count == 1 { one } else { more }, &count.to_string()))
        };
        let parts: Vec<String> = [
            count(sessions, self.templates.sessions),
            count(questions, self.templates.questions),
            count(approvals, self.templates.approvals),
        ]
        .into_iter()
        .flatten()
        .collect();
        format!("{}{full_stop}\n\n{if_quit}", parts.join(comma))
    }

    pub fn cannot_start(&self, why: &str) -> String {
        fill(self.templates.cannot_start, why)
    }

    pub fn asks_permission(&self, session: &str) -> String {
        fill(self.templates.asks_permission, session)
    }

    /// The number of items that are not listed.
    pub fn and_others(&self, count: usize) -> String {
        fill(self.templates.and_others, &count.to_string())
    }

    pub fn notify_again(&self, end: &str) -> String {
        fill(self.templates.notify_again, end)
    }

    /// The number of questions and permission requests together.
    pub fn waiting(&self, count: usize) -> String {
        let [one, more] = self.templates.waiting;
        match count {
            0 => APP.to_owned(),
            1 => fill(one, "1"),
            _ => fill(more, &count.to_string()),
        }
    }

    /// The number of questions after the first one.
    pub fn and_more(&self, count: usize) -> String {
        fill(self.templates.and_more, &count.to_string())
    }

    pub fn answered(&self, option: &str) -> String {
        fill(self.templates.answered, option)
    }
}

fn fill(template: &str, value: &str) -> String {
    template.replace("{}", value)
}

static EN: Messages = Messages {
    open: "Open",
    undo: "Undo",
    not_sent: "The answer was not sent. The question still waits for you.",
    question_waits: "A question is waiting",
    permission_waits: "A permission is waiting",
    more_waits: "More questions and permissions are waiting. The inbox has them all.",
    finished: "Has finished its turn.",
    open_window: "Open Askdesk",
    pause: "Pause notifications",
    an_hour: "For 1 hour",
    until_tomorrow: "Until tomorrow, 8:00",
    quit_app: "Quit Askdesk",
    quit_title: "Quit Askdesk?",
    quit: "Quit",
    keep_running: "Keep running",
    save_export: "Export session",
    attach: "Attach images and files",
    templates: Templates {
        sessions: ["{} session is at work", "{} sessions are at work"],
        questions: ["{} question waits for you", "{} questions wait for you"],
        approvals: ["{} permission waits for you", "{} permissions wait for you"],
        comma: ", ",
        full_stop: ".",
        if_quit: "If you quit, the agents stop. Their sessions stay on the desk and can be resumed.",
        cannot_start: "Askdesk cannot start: {}.\n\nNothing was changed. Put this right and start it again.",
        and_more: "… and {} more",
        answered: "Answered: {}",
        asks_permission: "{} asks for permission",
        and_others: "… and {} more",
        notify_again: "Notify again (paused until {})",
        waiting: ["Askdesk: {} thing waits for you", "Askdesk: {} things wait for you"],
    },
};

static ZH: Messages = Messages {
    open: "打开",
    undo: "撤销",
    not_sent: "回答没有发送，问题仍在等待你回答。",
    question_waits: "有一个问题在等待",
    permission_waits: "有一个权限请求在等待",
    more_waits: "还有更多问题和权限请求在等待，全部都在收件箱里。",
    finished: "已完成这一轮。",
    open_window: "打开 Askdesk",
    pause: "暂停通知",
    an_hour: "暂停 1 小时",
    until_tomorrow: "暂停到明天 8:00",
    quit_app: "退出 Askdesk",
    quit_title: "要退出 Askdesk 吗？",
    quit: "退出",
    keep_running: "继续运行",
    save_export: "导出会话",
    attach: "添加图片和文件",
    templates: Templates {
        sessions: ["{} 个会话正在工作", "{} 个会话正在工作"],
        questions: ["{} 个问题等待你回答", "{} 个问题等待你回答"],
        approvals: ["{} 个权限请求等待你决定", "{} 个权限请求等待你决定"],
        comma: "，",
        full_stop: "。",
        if_quit: "退出后，智能体会停止工作。它们的会话仍会保留，之后可以恢复。",
        cannot_start: "Askdesk 无法启动：{}。\n\n没有做任何更改。请解决这个问题后重新启动。",
        and_more: "……另有 {} 个问题",
        answered: "已回答：{}",
        asks_permission: "{} 请求权限",
        and_others: "……另有 {} 项",
        notify_again: "恢复通知（已暂停到 {}）",
        waiting: ["Askdesk：{} 项在等待你", "Askdesk：{} 项在等待你"],
    },
};

static DE: Messages = Messages {
    open: "Öffnen",
    undo: "Rückgängig",
    not_sent: "Die Antwort wurde nicht gesendet. Die Frage wartet weiter auf Sie.",
    question_waits: "Eine Frage wartet",
    permission_waits: "Eine Genehmigung wartet",
    more_waits: "Weitere Fragen und Genehmigungen warten. Im Eingang stehen alle.",
    finished: "Hat die Runde beendet.",
    open_window: "Askdesk öffnen",
    pause: "Benachrichtigungen pausieren",
    an_hour: "Für 1 Stunde",
    until_tomorrow: "Bis morgen, 8:00",
    quit_app: "Askdesk beenden",
    quit_title: "Askdesk beenden?",
    quit: "Beenden",
    keep_running: "Weiterlaufen lassen",
    save_export: "Sitzung exportieren",
    attach: "Bilder und Dateien anhängen",
    templates: Templates {
        sessions: ["{} Sitzung arbeitet gerade", "{} Sitzungen arbeiten gerade"],
        questions: ["{} Frage wartet auf Sie", "{} Fragen warten auf Sie"],
        approvals: ["{} Genehmigung wartet auf Sie", "{} Genehmigungen warten auf Sie"],
        comma: ", ",
        full_stop: ".",
        if_quit: "Wenn Sie beenden, hören die Agenten auf. Ihre Sitzungen bleiben erhalten und lassen sich fortsetzen.",
        cannot_start: "Askdesk kann nicht starten: {}.\n\nEs wurde nichts verändert. Beheben Sie das und starten Sie erneut.",
        and_more: "… und {} weitere",
        answered: "Beantwortet: {}",
        asks_permission: "{} bittet um Genehmigung",
        and_others: "… und {} weitere",
        notify_again: "Wieder benachrichtigen (Pause bis {})",
        waiting: ["Askdesk: {} Sache wartet auf Sie", "Askdesk: {} Sachen warten auf Sie"],
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_work_is_counted_in_each_language() {
        let running = RunningWork { sessions: 1, questions: 2, approvals: 0 };
        let first_line =
            |language| of(language).running_work(running).lines().next().unwrap_or_default().to_owned();
        assert_eq!(first_line(Language::En), "1 session is at work, 2 questions wait for you.");
        assert_eq!(first_line(Language::De), "1 Sitzung arbeitet gerade, 2 Fragen warten auf Sie.");
        assert_eq!(first_line(Language::Zh), "1 个会话正在工作，2 个问题等待你回答。");
    }

    /// Every text of one language with its name; a new one does not compile until it is listed.
    fn texts(messages: &Messages) -> Vec<(&'static str, &'static str)> {
        let Messages {
            open,
            undo,
            not_sent,
            question_waits,
            permission_waits,
            more_waits,
            finished,
            open_window,
            pause,
            an_hour,
            until_tomorrow,
            quit_app,
            quit_title,
            quit,
            keep_running,
            save_export,
            attach,
            templates,
        } = messages;
        let Templates {
            sessions,
            questions,
            approvals,
            comma,
            full_stop,
            if_quit,
            cannot_start,
            and_more,
            answered,
            asks_permission,
            and_others,
            notify_again,
            waiting,
        } = templates;
        vec![
            ("open", open),
            ("undo", undo),
            ("not_sent", not_sent),
            ("question_waits", question_waits),
            ("permission_waits", permission_waits),
            ("more_waits", more_waits),
            ("finished", finished),
            ("open_window", open_window),
            ("pause", pause),
            ("an_hour", an_hour),
            ("until_tomorrow", until_tomorrow),
            ("quit_app", quit_app),
            ("quit_title", quit_title),
            ("quit", quit),
            ("keep_running", keep_running),
            ("save_export", save_export),
            ("attach", attach),
            ("sessions, one", sessions[0]),
            ("sessions, more", sessions[1]),
            ("questions, one", questions[0]),
            ("questions, more", questions[1]),
            ("approvals, one", approvals[0]),
            ("approvals, more", approvals[1]),
            ("comma", comma),
            ("full_stop", full_stop),
            ("if_quit", if_quit),
            ("cannot_start", cannot_start),
            ("and_more", and_more),
            ("answered", answered),
            ("asks_permission", asks_permission),
            ("and_others", and_others),
            ("notify_again", notify_again),
            ("waiting, one", waiting[0]),
            ("waiting, more", waiting[1]),
        ]
    }

    /// What is the same sign in another language.
    const ALIKE: [(Language, &str); 2] = [(Language::De, "comma"), (Language::De, "full_stop")];

    #[test]
    fn no_text_is_empty_or_left_in_english() {
        for language in [Language::Zh, Language::De] {
            for ((name, english), (_, text)) in texts(&EN).into_iter().zip(texts(of(language))) {
                assert!(!text.trim().is_empty(), "{language:?} has no {name}");
                let alike = ALIKE.contains(&(language, name));
                assert_eq!(text == english, alike, "{name} in {language:?}: {text}");
            }
        }
    }

    #[test]
    fn chinese_has_no_word_of_latin_letters_but_the_app_s_name() {
        for (name, text) in texts(&ZH) {
            let rest = text.replace(APP, "");
            assert!(!rest.contains(|letter: char| letter.is_ascii_alphabetic()), "{name}: {text}");
        }
    }

    #[test]
    fn every_phrase_with_a_value_has_one_place_for_it() {
        for messages in [&EN, &ZH, &DE] {
            let Templates {
                sessions,
                questions,
                approvals,
                cannot_start,
                and_more,
                answered,
                asks_permission,
                and_others,
                notify_again,
                waiting,
                ..
            } = messages.templates;
            let counted = [sessions, questions, approvals, waiting].concat();
            let others = [cannot_start, and_more, answered, asks_permission, and_others, notify_again];
            for phrase in counted.iter().chain(&others) {
                assert_eq!(phrase.matches("{}").count(), 1, "{phrase}");
            }
        }
    }
}
