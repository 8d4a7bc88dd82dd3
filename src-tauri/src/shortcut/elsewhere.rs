//! Windows of other programs under X11: which one has the focus, and giving it back.

use std::error::Error;
use std::ffi::OsStr;

use askdesk_api::UnappliedReason;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ClientMessageEvent, ConnectionExt, EventMask};
use x11rb::rust_connection::RustConnection;

pub use x11rb::protocol::xproto::Window;

/// The mark of a wish that comes from the person and not from a program by itself.
const BY_THE_PERSON: u32 = 2;

/// No moment in particular, where one belongs.
const NOW: u32 = 0;

/// The most windows of a desktop that are looked through, in units of four bytes.
const WINDOWS: u32 = 65_536;

x11rb::atom_manager! {
    Atoms: AtomsCookie {
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_WM_PID,
    }
}

/// Says whether keys that are pressed in other programs can be heard at all.
pub fn can_be_heard() -> Result<(), UnappliedReason> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let session = std::env::var_os("XDG_SESSION_TYPE");
    if is_set("WAYLAND_DISPLAY") || session.as_deref() == Some(OsStr::new("wayland")) {
        // What X11 programs see there are only the keys that are pressed in X11 programs.
        return Err(UnappliedReason::Wayland);
    }
    RustConnection::connect(None)
        .map(drop)
        .map_err(|error| UnappliedReason::System { error: error.to_string() })
}

/// Returns the window that has the focus; none where it is one of this app, or nobody knows.
pub fn window_with_focus() -> Option<Window> {
    let found = Screen::open().and_then(|screen| {
        let focused = screen.focused()?;
        Ok(if screen.is_own(focused)? { None } else { Some(focused) })
    });
    found.unwrap_or_else(|error| {
        tracing::info!(%error, "nobody knows where the focus was");
        None
    })
}

/// Gives the focus to a window, where this app has it now and the window is still there.
pub fn give_back(to: Window) {
    let given = Screen::open().and_then(|screen| {
        let focused = screen.focused()?;
        if screen.is_own(focused)? && screen.windows()?.contains(&to) {
            screen.focus(to, focused)
        } else {
            Ok(())
        }
    });
    if let Err(error) = given {
        tracing::info!(%error, "the focus could not be given back");
    }
}

struct Screen {
    x11: RustConnection,
    root: Window,
    atoms: Atoms,
}

impl Screen {
    fn open() -> Result<Self, Box<dyn Error>> {
        let (x11, screen) = RustConnection::connect(None)?;
        let atoms = Atoms::new(&x11)?.reply()?;
        let root = x11.setup().roots.get(screen).ok_or("a display without a screen")?.root;
        Ok(Self { x11, root, atoms })
    }

    fn focused(&self) -> Result<Window, Box<dyn Error>> {
        let focused = self.numbers(self.root, self.atoms._NET_ACTIVE_WINDOW, AtomEnum::WINDOW, 1)?;
        focused.first().copied().filter(|window| *window != 0).ok_or_else(|| "no window has it".into())
    }

    fn is_own(&self, window: Window) -> Result<bool, Box<dyn Error>> {
        let process = self.numbers(window, self.atoms._NET_WM_PID, AtomEnum::CARDINAL, 1)?;
        Ok(process.first() == Some(&std::process::id()))
    }

    fn windows(&self) -> Result<Vec<Window>, Box<dyn Error>> {
        self.numbers(self.root, self.atoms._NET_CLIENT_LIST, AtomEnum::WINDOW, WINDOWS)
    }

    fn numbers(
        &self,
        window: Window,
        property: u32,
        kind: AtomEnum,
        most: u32,
    ) -> Result<Vec<u32>, Box<dyn Error>> {
        let read = self.x11.get_property(false, window, property, kind, 0, most)?.reply()?;
        Ok(read.value32().map(Iterator::collect).unwrap_or_default())
    }

    fn focus(&self, to: Window, from: Window) -> Result<(), Box<dyn Error>> {
        let data = [BY_THE_PERSON, NOW, from, 0, 0];
        let wish = ClientMessageEvent::new(32, to, self.atoms._NET_ACTIVE_WINDOW, data);
        let to_the_manager = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.x11.send_event(false, self.root, to_the_manager, wish)?.check()?;
        Ok(())
    }
}
