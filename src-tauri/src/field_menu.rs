//! Undo and Redo in the menu of a text field. WebKitGTK's menu has neither; the menus of the other systems have both.

use tauri::WebviewWindow;

/// Adds them to the menus of a window. The page carries them out, because it keeps the history of each field.
#[cfg(target_os = "linux")]
pub fn extend(window: &WebviewWindow) {
    use gtk::gio::SimpleAction;
    use tauri::Manager;
    use webkit2gtk::{ContextMenuExt, ContextMenuItem, HitTestResultExt, WebViewExt};

    use crate::language;

    let window = window.clone();
    let label = window.label().to_owned();
    let extended = window.clone().with_webview(move |page| {
        page.inner().connect_context_menu(move |_, menu, _, clicked| {
            // Where the page shows its own menu, this one is empty and still tells of the click before.
            if menu.n_items() > 0 && clicked.context_is_editable() {
                let messages = language::of_app(window.app_handle());
                menu.prepend(&ContextMenuItem::new_separator());
                for (words, kind) in [(messages.redo, "historyRedo"), (messages.undo, "historyUndo")] {
                    let action = SimpleAction::new(kind, None);
                    let window = window.clone();
                    action.connect_activate(move |_, _| {
                        let script = format!(
                            "document.activeElement?.dispatchEvent(new InputEvent('beforeinput', {{ bubbles: true, cancelable: true, inputType: '{kind}' }}))"
                        );
                        if let Err(error) = window.eval(script) {
                            tracing::warn!(kind, %error, "the page couldn't be told");
                        }
                    });
                    menu.prepend(&ContextMenuItem::from_gaction(&action, words, None));
                }
            }
            // The menu is shown.
            false
        });
    });
    if let Err(error) = extended {
        tracing::warn!(label, %error, "the menus of text fields can't be extended");
    }
}

#[cfg(not(target_os = "linux"))]
pub fn extend(_: &WebviewWindow) {}
