//! The keys under X11: the server hands them to this app wherever they are pressed. One thread sleeps until they are.

use std::error::Error;
use std::sync::Arc;

use askdesk_api::UnappliedReason;
use askdesk_domain::{Combination, Held, PressedKey};
use tauri::AppHandle;
use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::xproto::{
    ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, GrabMode, Keycode, ModMask, Timestamp,
    Window, WindowClass,
};
use x11rb::protocol::{ErrorKind, Event};
use x11rb::rust_connection::RustConnection;

use super::elsewhere;

/// What the locks of a keyboard look like: with either of them on, the keys are the same.
const LOCKS: [ModMask; 2] = [ModMask::LOCK, ModMask::M2];

/// Any number: nobody else writes to the window that ends the listening.
const ENOUGH: u32 = 1;

/// Keys that are heard until this is dropped.
pub struct Heard {
    combination: Combination,
    grab: Arc<Grab>,
}

struct Grab {
    x11: RustConnection,
    root: Window,
    /// A message to it ends the listening.
    own: Window,
    combination: Combination,
}

impl Heard {
    pub fn begin(app: &AppHandle, combination: Combination) -> Result<Self, UnappliedReason> {
        elsewhere::can_be_heard()?;
        let app = app.clone();
        let heard = Self::listen(combination, move || super::pressed(&app));
        heard.map_err(|error| match error.downcast_ref() {
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
        grab.take()?;
        let listening = Arc::clone(&grab);
        let name = "global-shortcut".to_owned();
        std::thread::Builder::new().name(name).spawn(move || listening.listen(pressed))?;
        Ok(Self { combination, grab })
    }

    pub const fn combination(&self) -> Combination {
        self.combination
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        if let Err(error) = self.grab.end() {
            tracing::warn!(%error, "keys that are set no more are heard still");
        }
    }
}

impl Grab {
    /// Takes the keys, where nobody has them; a connection that ends gives them back.
    fn take(&self) -> Result<(), Box<dyn Error>> {
        let key = self.key()?.ok_or_else(|| format!("no key is called {}", self.combination.key))?;
        let held = modifiers(self.combination.held);
        for locks in locked() {
            let (own, other) = (GrabMode::ASYNC, GrabMode::ASYNC);
            self.x11.grab_key(false, self.root, held | locks, key, own, other)?.check()?;
        }
        Ok(())
    }

    fn let_go(&self) -> Result<(), Box<dyn Error>> {
        const ANY_KEY: Keycode = 0;
        self.x11.ungrab_key(ANY_KEY, self.root, ModMask::ANY)?.check()?;
        Ok(())
    }

    fn end(&self) -> Result<(), Box<dyn Error>> {
        self.let_go()?;
        let message = ClientMessageEvent::new(32, self.own, ENOUGH, [0; 5]);
        self.x11.send_event(false, self.own, EventMask::NO_EVENT, message)?.check()?;
        Ok(())
    }

    fn listen(&self, pressed: impl Fn()) {
        let mut released: Option<Timestamp> = None;
        loop {
            match self.x11.wait_for_event() {
                // A key that stays down comes again and again, each time released at the moment it is pressed.
                Ok(Event::KeyPress(event)) if released != Some(event.time) => pressed(),
                Ok(Event::KeyRelease(event)) => released = Some(event.time),
                // The letters stand on other keys now.
                Ok(Event::MappingNotify(_)) => {
                    if let Err(error) = self.let_go().and_then(|()| self.take()) {
                        tracing::warn!(%error, "the keys are not heard on the new keyboard");
                    }
                }
                Ok(Event::ClientMessage(_)) => return,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%error, "keys that are pressed elsewhere are heard no more");
                    return;
                }
            }
        }
    }

    /// Returns the key that has the sign; best the one that needs no other key for it.
    fn key(&self) -> Result<Option<Keycode>, Box<dyn Error>> {
        let sign = sign(self.combination.key);
        let (first, last) = (self.x11.setup().min_keycode, self.x11.setup().max_keycode);
        let count = last.saturating_sub(first).saturating_add(1);
        let map = self.x11.get_keyboard_mapping(first, count)?.reply()?;
        let signs = || map.keysyms.chunks(map.keysyms_per_keycode.max(1).into());
        let by_itself = signs().position(|signs| signs.first() == Some(&sign));
        let at = by_itself.or_else(|| signs().position(|signs| signs.contains(&sign)));
        Ok(at.and_then(|at| first.checked_add(u8::try_from(at).ok()?)))
    }
}

fn locked() -> [ModMask; 4] {
    let [caps, num] = LOCKS;
    [ModMask::default(), caps, num, caps | num]
}

fn modifiers(Held { ctrl, alt, shift, meta }: Held) -> ModMask {
    let of = |held: bool, mask: ModMask| if held { mask } else { ModMask::default() };
    of(ctrl, ModMask::CONTROL) | of(alt, ModMask::M1) | of(shift, ModMask::SHIFT) | of(meta, ModMask::M4)
}

/// Returns the number by which X11 knows what stands on a key (`keysymdef.h`).
fn sign(key: PressedKey) -> u32 {
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
    fn every_key_that_can_be_set_has_a_sign_of_its_own() {
        let signs: std::collections::BTreeSet<u32> = PressedKey::all().map(sign).collect();
        assert_eq!(signs.len(), PressedKey::all().count());
        assert_eq!(sign(PressedKey::Letter('J')), u32::from(b'j'));
        assert_eq!([1, 12].map(|n| sign(PressedKey::Function(n))), [0xffbe, 0xffc9]);
    }

    #[test]
    fn locks_of_the_keyboard_change_nothing() {
        let held = modifiers(Held { ctrl: true, alt: true, ..Held::default() });
        let all = locked().map(|locks| u16::from(held | locks));
        assert_eq!(all, [0b1100, 0b1110, 0b1_1100, 0b1_1110]);
    }
}
