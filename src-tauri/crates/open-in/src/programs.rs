//! The programs of one user: what is installed, what the settings prefer, and how each is started.

use std::ffi::OsString;
use std::path::Path;

use askdesk_domain::{OpenError, Program, ProgramKind, Settings};

use crate::arguments::{self, Running};
use crate::command;
use crate::search::{FoundProgram, Search};
use crate::start::Launch;
use crate::target::Target;

/// The installed programs, and the settings that choose among them.
#[derive(Clone, Debug)]
pub struct Programs {
    search: Search,
    settings: Settings,
}

impl Programs {
    pub fn new(search: Search, settings: Settings) -> Self {
        Self { search, settings }
    }

    /// Lists what is installed, within each kind in the order of preference. May block.
    pub fn found(&self) -> Vec<Program> {
        Program::ALL.iter().copied().filter(|program| self.has(*program)).collect()
    }

    fn has(&self, program: Program) -> bool {
        match program {
            Program::FileManager => true,
            // A command whose program is missing is listed, so that it is said what is wrong with it.
            Program::EditorCommand => self.settings.editor_command.words().is_some(),
            Program::TerminalCommand => self.settings.terminal_command.words().is_some(),
            known => self.search.find(known).is_some(),
        }
    }

    /// Plans to open a target in an editor or a terminal. The file manager belongs to the system. May block.
    pub fn open(&self, program: Program, target: &Target) -> Result<Launch, OpenError> {
        match (program.kind(), program) {
            (ProgramKind::Terminal, terminal) => self.terminal_in(terminal, target.folder(), None),
            (_, Program::Vim | Program::Neovim) => {
                let FoundProgram { program: editor, .. } = self.find(program)?;
                self.run_in_terminal(target.folder(), &editor, &arguments::of_editor(program, target))
            }
            (_, Program::EditorCommand) => {
                let command = self.settings.editor_command.words();
                let (name, words) = command.ok_or(OpenError::NoCommand { program })?;
                self.own(name, command::of_editor(words, target), target.folder())
            }
            _ => {
                let found = self.find(program)?;
                launch(program, found, arguments::of_editor(program, target), target.folder())
            }
        }
    }

    /// Plans to run a program in the user's terminal. May block.
    pub fn run_in_terminal(
        &self,
        folder: &Path,
        program: &Path,
        args: &[OsString],
    ) -> Result<Launch, OpenError> {
        let running = Running { program, args };
        if let Some(chosen) = self.settings.terminal.program() {
            return self.terminal_in(chosen, folder, Some(running));
        }
        let terminals =
            Program::ALL.iter().copied().filter(|it| it.kind() == ProgramKind::Terminal && self.has(*it));
        for terminal in terminals {
            match self.terminal_in(terminal, folder, Some(running)) {
                Err(OpenError::TerminalOnlyOpens { .. } | OpenError::Unsafe { .. }) => {}
                planned => return planned,
            }
        }
        Err(OpenError::NoTerminal)
    }

    fn terminal_in(
        &self,
        terminal: Program,
        folder: &Path,
        running: Option<Running<'_>>,
    ) -> Result<Launch, OpenError> {
        if terminal == Program::TerminalCommand {
            let command = self.settings.terminal_command.words();
            let (name, words) = command.ok_or(OpenError::NoCommand { program: terminal })?;
            return self.own(name, command::of_terminal(words, folder, running), folder);
        }
        let found = self.find(terminal)?;
        let args = arguments::of_terminal(terminal, folder, running);
        launch(terminal, found, args.ok_or(OpenError::TerminalOnlyOpens { terminal })?, folder)
    }

    fn find(&self, program: Program) -> Result<FoundProgram, OpenError> {
        self.search.find(program).ok_or(OpenError::NotInstalled { program })
    }

    fn own(&self, name: &str, args: Vec<OsString>, folder: &Path) -> Result<Launch, OpenError> {
        let program = self.search.executable(name.as_ref());
        let program = program.ok_or_else(|| OpenError::CommandMissing { command: name.to_owned() })?;
        Ok(Launch::new(program, args, folder))
    }
}

fn launch(
    program: Program,
    found: FoundProgram,
    args: Vec<OsString>,
    folder: &Path,
) -> Result<Launch, OpenError> {
    if let Some(character) = arguments::unsafe_character(program, &args) {
        return Err(OpenError::Unsafe { program, character: character.to_owned() });
    }
    Ok(Launch::new(found.program, found.before.into_iter().chain(args).collect(), folder))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use askdesk_domain::{Settable, Setting, Written};

    use super::*;
    use crate::search::Os;

    /// A folder with programs, and the settings.
    struct Desk {
        folder: tempfile::TempDir,
        settings: Settings,
    }

    impl Desk {
        fn with(names: &[&str]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            for name in names {
                let path = folder.path().join(name);
                std::fs::write(&path, "").unwrap();
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            }
            Self { folder, settings: Settings::default() }
        }

        fn set(mut self, setting: Setting) -> Self {
            self.settings = self.settings.with(setting);
            self
        }

        fn programs(&self) -> Programs {
            let folders = vec![self.folder.path().to_owned()];
            Programs::new(Search { os: Os::Linux, folders, applications: Vec::new() }, self.settings.clone())
        }

        fn at(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn open(&self, program: Program) -> Result<(PathBuf, Vec<OsString>), OpenError> {
            let target = Target::File { path: "/w/a b".into(), line: Some(12) };
            let launch = self.programs().open(program, &target)?;
            assert_eq!(launch.folder, Path::new("/w"));
            Ok((launch.program, launch.args))
        }
    }

    fn set<T: Settable>(text: &str) -> T {
        T::read(Written::Text(text.to_owned())).unwrap()
    }

    fn words(args: &[&str]) -> Vec<OsString> {
        args.iter().map(OsString::from).collect()
    }

    #[test]
    fn what_is_installed_is_listed_and_a_command_of_the_users_own_comes_first() {
        let desk = Desk::with(&["vim", "code", "xterm", "kitty"]);
        let found = desk.programs().found();
        use Program::{FileManager, Kitty, Vim, VsCode, Xterm};
        assert_eq!(found, [VsCode, Vim, Kitty, Xterm, FileManager]);
        let desk = desk.set(Setting::EditorCommand(set("ed {file}")));
        assert_eq!(desk.programs().found()[0], Program::EditorCommand);
        assert_eq!(Desk::with(&[]).programs().found(), [FileManager]);
    }

    #[test]
    fn an_editor_of_the_terminal_runs_in_the_users_terminal() {
        let desk = Desk::with(&["vim", "xterm", "konsole"]);
        let vim = desk.at("vim").display().to_string();
        let konsole = words(&["--workdir", "/w", "-e", &vim, "+12", "--", "/w/a b"]);
        assert_eq!(desk.open(Program::Vim), Ok((desk.at("konsole"), konsole)));
        let desk = desk.set(Setting::Terminal(set("xterm")));
        assert_eq!(
            desk.open(Program::Vim),
            Ok((desk.at("xterm"), words(&["-e", &vim, "+12", "--", "/w/a b"])))
        );
        let desk = desk.set(Setting::Terminal(set("terminal_command")));
        assert_eq!(desk.open(Program::Vim), Err(OpenError::NoCommand { program: Program::TerminalCommand }));
        let desk = desk.set(Setting::TerminalCommand(set("xterm -T x -e {command}")));
        let own = words(&["-T", "x", "-e", &vim, "+12", "--", "/w/a b"]);
        assert_eq!(desk.open(Program::Vim), Ok((desk.at("xterm"), own)));
        let desk = desk.set(Setting::Terminal(set("iterm")));
        assert_eq!(desk.open(Program::Vim), Err(OpenError::NotInstalled { program: Program::Iterm }));
        assert_eq!(Desk::with(&["vim"]).open(Program::Vim), Err(OpenError::NoTerminal));
    }

    #[test]
    fn a_program_that_is_missing_is_named() {
        let desk = Desk::with(&[]);
        assert_eq!(desk.open(Program::Zed), Err(OpenError::NotInstalled { program: Program::Zed }));
        assert_eq!(desk.open(Program::Kitty), Err(OpenError::NotInstalled { program: Program::Kitty }));
        assert_eq!(
            desk.open(Program::EditorCommand),
            Err(OpenError::NoCommand { program: Program::EditorCommand })
        );
        let desk = desk.set(Setting::EditorCommand(set("subl {file}")));
        assert_eq!(
            desk.open(Program::EditorCommand),
            Err(OpenError::CommandMissing { command: "subl".to_owned() })
        );
    }
}
