//! The form in which the app is installed.

use tauri::utils::config::BundleType;

/// The form in which the app is installed, as far as updating differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Deb,
    Rpm,
    /// An AppImage, or an app bundle of macOS: a file or folder of the user's.
    Bundle,
    /// Windows' installers end the app.
    Installer,
}

impl Form {
    /// Returns the form of a bundle; none if it can't be updated.
    pub fn of(bundle: &BundleType, is_appimage: bool) -> Option<Self> {
        match bundle {
            BundleType::Deb => Some(Self::Deb),
            BundleType::Rpm => Some(Self::Rpm),
            // Unpacked, it is no AppImage, and an update would overwrite a program in it.
            BundleType::AppImage => is_appimage.then_some(Self::Bundle),
            BundleType::App => Some(Self::Bundle),
            BundleType::Msi | BundleType::Nsis => Some(Self::Installer),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unpacked_appimage_is_not_updated() {
        assert_eq!(Form::of(&BundleType::AppImage, true), Some(Form::Bundle));
        assert_eq!(Form::of(&BundleType::AppImage, false), None);
        assert_eq!(Form::of(&BundleType::Deb, false), Some(Form::Deb));
        assert_eq!(Form::of(&BundleType::Nsis, false), Some(Form::Installer));
    }
}
