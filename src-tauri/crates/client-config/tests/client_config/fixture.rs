//! A user with a home folder and a project.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use askdesk_client_config::{Endpoint, Env, FileError, Os, Plan, Scope, Token, connect, disconnect};
use askdesk_contract::Client;
use askdesk_user_environment::Variables;
use tempfile::TempDir;

pub const TOKEN: &str = "3f9a0c7e51d24b6f8812aa90cd34ef563f9a0c7e51d24b6f8812aa90cd34ef56";

/// A token that isn't [`TOKEN`].
pub const OTHER_TOKEN: &str = "00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff";

pub const HOOK: &str = "/usr/bin/askdesk hook";

pub struct Fixture {
    folder: TempDir,
    pub env: Env,
}

impl Fixture {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (home, project) = (folder.path().join("home"), folder.path().join("project"));
        fs::create_dir(&home).unwrap();
        fs::create_dir(&project).unwrap();
        let env = Env { os: Os::Linux, home, project, variables: Variables::default() };
        Self { folder, env }
    }

    /// A user whose client has a file with this text, and is connected.
    pub fn connected(client: Client, text: &str) -> (Self, PathBuf) {
        let fixture = Self::new();
        let file = fixture.files(client, Scope::User).remove(0);
        write(&file, text);
        fixture.connect(client, Scope::User);
        (fixture, file)
    }

    /// A user whose Claude Code has settings with this text, and is connected.
    pub fn connected_claude(settings: &str) -> (Self, PathBuf) {
        let fixture = Self::new();
        let file = fixture.env.home.join(".claude/settings.json");
        write(&file, settings);
        fixture.connect(Client::ClaudeCode, Scope::User);
        (fixture, file)
    }

    /// A folder outside of the home folder and the project.
    pub fn elsewhere(&self) -> PathBuf {
        let elsewhere = self.folder.path().join("elsewhere");
        fs::create_dir_all(&elsewhere).unwrap();
        elsewhere
    }

    /// A copy of a program named `askdesk`.
    pub fn program(&self) -> String {
        let program = self.elsewhere().join("askdesk").with_extension(std::env::consts::EXE_EXTENSION);
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        program.to_str().unwrap().replace('\\', "/")
    }

    pub fn plan(&self, client: Client, scope: Scope) -> Result<Plan, FileError> {
        connect(client, scope, &self.env, &endpoint(41414, TOKEN))
    }

    pub fn connect(&self, client: Client, scope: Scope) {
        self.plan(client, scope).unwrap().apply().unwrap();
    }

    pub fn disconnect(&self, client: Client, scope: Scope) -> Plan {
        let plan = disconnect(client, scope, &self.env).unwrap();
        plan.apply().unwrap();
        plan
    }

    /// The files that connecting a client changes.
    pub fn files(&self, client: Client, scope: Scope) -> Vec<PathBuf> {
        self.plan(client, scope).unwrap().changes.into_iter().map(|change| change.file).collect()
    }

    /// Every file with its contents.
    pub fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.folder.path(), &mut files);
        files
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
}

pub fn endpoint(port: u16, token: &str) -> Endpoint {
    let token = Token::parse(token).unwrap();
    Endpoint { port, token, command: Some(HOOK.to_owned()), ask_by_command: false }
}

pub fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

pub fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap()
}
