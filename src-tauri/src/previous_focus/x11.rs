//! The focused window under X11, and returning the focus to it.

use std::error::Error;
use std::ffi::OsStr;

use askdesk_contract::UnappliedReason;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ClientMessageEvent, ConnectionExt, EventMask};
use x11rb::rust_connection::RustConnection;

pub use x11rb::protocol::xproto::Window;

/// The source indication of a request by the user, in the EWMH protocol.
const SOURCE_USER: u32 = 2;

/// A timestamp of zero: the current time.
const CURRENT_TIME: u32 = 0;

/// The most windows that are read from the client list.
const MAX_WINDOWS: u32 = 65_536;

x11rb::atom_manager! {
    Atoms: AtomsCookie {
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_WM_PID,
    }
}

/// Checks whether this session lets a program receive keys that are pressed in another one.
pub fn check_supported() -> Result<(), UnappliedReason> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let session = std::env::var_os("XDG_SESSION_TYPE");
    if is_set("WAYLAND_DISPLAY") || session.as_deref() == Some(OsStr::new("wayland")) {
        // Under Wayland, X11 programs only receive the keys that are pressed in X11 programs.
        return Err(UnappliedReason::Wayland);
    }
    RustConnection::connect(None)
        .map(drop)
        .map_err(|error| UnappliedReason::System { error: error.to_string() })
}

/// Returns the window that has the focus; none if it is one of this app, or unknown.
pub fn focused_window() -> Option<Window> {
    let found = Screen::open().and_then(|screen| {
        let focused = screen.focused()?;
        Ok(if screen.is_own(focused)? { None } else { Some(focused) })
    });
    found.unwrap_or_else(|error| {
        tracing::info!(%error, "the focused window is unknown");
        None
    })
}

/// Focuses a window, if this app has the focus and the window still exists.
pub fn restore_focus(to: Window) {
    let restored = Screen::open().and_then(|screen| {
        let focused = screen.focused()?;
        if screen.is_own(focused)? && screen.windows()?.contains(&to) {
            screen.focus(to, focused)
        } else {
            Ok(())
        }
    });
    if let Err(error) = restored {
        tracing::info!(%error, "the focus could not be restored");
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
        self.numbers(self.root, self.atoms._NET_CLIENT_LIST, AtomEnum::WINDOW, MAX_WINDOWS)
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
        let data = [SOURCE_USER, CURRENT_TIME, from, 0, 0];
        let request = ClientMessageEvent::new(32, to, self.atoms._NET_ACTIVE_WINDOW, data);
        let to_the_manager = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.x11.send_event(false, self.root, to_the_manager, request)?.check()?;
        Ok(())
    }
}
