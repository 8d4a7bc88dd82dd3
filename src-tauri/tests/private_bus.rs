//! A session bus of a test's own, which starts no service.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

pub struct Bus {
    process: Child,
    pub address: String,
    _folder: TempDir,
}

impl Bus {
    pub fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let settings = folder.path().join("bus.conf");
        let listen = folder.path().display();
        let text = format!(
            "<busconfig><type>session</type><listen>unix:dir={listen}</listen><auth>EXTERNAL</auth>\
             <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>\
             <allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>"
        );
        fs::write(&settings, text).unwrap();
        let mut process = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", settings.display()))
            .args(["--nofork", "--print-address"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("dbus-daemon is installed");
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { process, address: address.trim().to_owned(), _folder: folder }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
