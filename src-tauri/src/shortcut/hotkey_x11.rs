//! The hotkey under X11: a key grab on the root window, and a thread that waits for its events.

use std::error::Error;
use std::sync::Arc;

use askdesk_contract::UnappliedReason;
use askdesk_domain::{Combination, Modifiers, PressedKey};
use tauri::AppHandle;
use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::xproto::{
    ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, GrabMode, Keycode, ModMask, Timestamp,
    Window, WindowClass,
};
use x11rb::protocol::{ErrorKind, Event};
use x11rb::rust_connection::RustConnection;

use crate::previous_focus::x11;

/// Caps Lock and Num Lock, which must not change the hotkey.
const LOCKS: [ModMask; 2] = [ModMask::LOCK, ModMask::M2];

/// Any value: only this app sends messages to its window.
const STOP: u32 = 1;

/// A hotkey that is registered until this is dropped.
pub struct Hotkey {
    combination: Combination,
    grab: Arc<Grab>,
}

struct Grab {
    x11: RustConnection,
    root: Window,
    /// A message to this window stops the thread.
    own: Window,
    combination: Combination,
}

impl Hotkey {
    pub fn register(app: &AppHandle, combination: Combination) -> Result<Self, UnappliedReason> {
        x11::check_supported()?;
        let app = app.clone();
        let listening = Self::listen(combination, move || super::pressed(&app));
        listening.map_err(|error| match error.downcast_ref() {
            Some(ReplyError::X11Error(said)) if said.error_kind == ErrorKind::Access => {
                UnappliedReason::Taken
            }
            _ => UnappliedReason::System { error: error.to_string() },
        })
    }

    fn listen(combination: Combination, pressed: impl Fn() + Send + 'static) -> Result<Self, Box<dyn Error>> {
        let (x11, screen) = RustConnection::connect(None)?;
        let root = x11.setup().roots.get(screen).ok_or("a display without a screen")?.root;
        let own = x11.generate_id()?;
        x11.create_window(0, own, root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &CreateWindowAux::new())?;
        let grab = Arc::new(Grab { x11, root, own, combination });
        grab.grab()?;
        let listening = Arc::clone(&grab);
        let name = "global-shortcut".to_owned();
        std::thread::Builder::new().name(name).spawn(move || listening.listen(pressed))?;
        Ok(Self { combination, grab })
    }

    pub const fn combination(&self) -> Combination {
        self.combination
    }
}

impl Drop for Hotkey {
    fn drop(&mut self) {
        if let Err(error) = self.grab.stop() {
            tracing::warn!(%error, "the hotkey could not be released");
        }
    }
}

impl Grab {
    /// Grabs the keys. Fails if another program has them. The server releases them when the connection closes.
    fn grab(&self) -> Result<(), Box<dyn Error>> {
        let key = self.key()?.ok_or_else(|| format!("no key is called {}", self.combination.key))?;
        let held = modifiers(self.combination.modifiers);
        for locks in locked() {
            let (own, other) = (GrabMode::ASYNC, GrabMode::ASYNC);
            self.x11.grab_key(false, self.root, held | locks, key, own, other)?.check()?;
        }
        Ok(())
    }

    fn release(&self) -> Result<(), Box<dyn Error>> {
        const ANY_KEY: Keycode = 0;
        self.x11.ungrab_key(ANY_KEY, self.root, ModMask::ANY)?.check()?;
        Ok(())
    }

    fn stop(&self) -> Result<(), Box<dyn Error>> {
        self.release()?;
        let message = ClientMessageEvent::new(32, self.own, STOP, [0; 5]);
        self.x11.send_event(false, self.own, EventMask::NO_EVENT, message)?.check()?;
        Ok(())
    }

    fn listen(&self, pressed: impl Fn()) {
        let mut released: Option<Timestamp> = None;
        loop {
            match self.x11.wait_for_event() {
                // Auto-repeat sends a release with the time of each press.
                Ok(Event::KeyPress(event)) if released != Some(event.time) => pressed(),
                Ok(Event::KeyRelease(event)) => released = Some(event.time),
                // The keyboard layout has changed.
                Ok(Event::MappingNotify(_)) => {
                    if let Err(error) = self.release().and_then(|()| self.grab()) {
                        tracing::warn!(%error, "the hotkey was lost with the new keyboard layout");
                    }
                }
                Ok(Event::ClientMessage(_)) => return,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%error, "the hotkey was lost");
                    return;
                }
            }
        }
    }

    /// Returns the key code, preferably one that needs no modifier.
    fn key(&self) -> Result<Option<Keycode>, Box<dyn Error>> {
        let keysym = keysym(self.combination.key);
        let (first, last) = (self.x11.setup().min_keycode, self.x11.setup().max_keycode);
        let count = last.saturating_sub(first).saturating_add(1);
        let map = self.x11.get_keyboard_mapping(first, count)?.reply()?;
        let keysyms = || map.keysyms.chunks(map.keysyms_per_keycode.max(1).into());
        let unmodified = keysyms().position(|keysyms| keysyms.first() == Some(&keysym));
        let at = unmodified.or_else(|| keysyms().position(|keysyms| keysyms.contains(&keysym)));
        Ok(at.and_then(|at| first.checked_add(u8::try_from(at).ok()?)))
    }
}

fn locked() -> [ModMask; 4] {
    let [caps, num] = LOCKS;
    [ModMask::default(), caps, num, caps | num]
}

fn modifiers(Modifiers { ctrl, alt, shift, meta }: Modifiers) -> ModMask {
    let of = |held: bool, mask: ModMask| if held { mask } else { ModMask::default() };
    of(ctrl, ModMask::CONTROL) | of(alt, ModMask::M1) | of(shift, ModMask::SHIFT) | of(meta, ModMask::M4)
}

/// Returns the keysym of a key (`keysymdef.h`).
fn keysym(key: PressedKey) -> u32 {
    match key {
        PressedKey::Letter(letter) => letter.to_ascii_lowercase().into(),
        PressedKey::Digit(digit) => digit.into(),
        PressedKey::Function(number) => 0xffbd + u32::from(number),
        PressedKey::Space => 0x0020,
        PressedKey::Up => 0xff52,
        PressedKey::Down => 0xff54,
        PressedKey::Left => 0xff51,
        PressedKey::Right => 0xff53,
        PressedKey::Home => 0xff50,
        PressedKey::End => 0xff57,
        PressedKey::PageUp => 0xff55,
        PressedKey::PageDown => 0xff56,
        PressedKey::Insert => 0xff63,
        PressedKey::Delete => 0xffff,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_that_can_be_set_has_a_keysym_of_its_own() {
        let keysyms: std::collections::BTreeSet<u32> = PressedKey::all().map(keysym).collect();
        assert_eq!(keysyms.len(), PressedKey::all().count());
        assert_eq!(keysym(PressedKey::Letter('J')), u32::from(b'j'));
        assert_eq!([1, 12].map(|n| keysym(PressedKey::Function(n))), [0xffbe, 0xffc9]);
    }

    #[test]
    fn caps_lock_and_num_lock_change_nothing() {
        let held = modifiers(Modifiers { ctrl: true, alt: true, ..Modifiers::default() });
        let all = locked().map(|locks| u16::from(held | locks));
        assert_eq!(all, [0b1100, 0b1110, 0b1_1100, 0b1_1110]);
    }
}
