//! The form in which the app is installed.

use std::env::consts::ARCH;
use std::path::Path;

use askdesk_contract::UpdateByHand;
use tauri::utils::config::BundleType;

/// The page of a version, before the version.
const RELEASE: &str = "https://github.com/askdesk/askdesk/releases/tag/v";

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

    /// Returns how the user installs a version; none if the app can. Nothing of it comes from the list of versions, which is not
    /// signed: the user types it as the administrator.
    pub fn by_hand(self, version: &str) -> Option<UpdateByHand> {
        let is_there = |program: &str| Path::new("/usr/bin").join(program).exists();
        let command = self.command(version, ARCH, is_there)?;
        Some(UpdateByHand { page: format!("{RELEASE}{version}"), command })
    }

    fn command(self, version: &str, arch: &str, is_there: impl Fn(&str) -> bool) -> Option<String> {
        match self {
            Self::Deb => {
                let arch = if arch == "aarch64" { "arm64" } else { "amd64" };
                Some(format!("sudo apt install ./Askdesk_{version}_{arch}.deb"))
            }
            Self::Rpm => {
                let managers = [("dnf", "dnf install"), ("zypper", "zypper install")];
                let found = managers.into_iter().find(|(program, _)| is_there(program));
                let install = found.map_or("rpm --upgrade", |(_, install)| install);
                Some(format!("sudo {install} ./Askdesk-{version}-1.{arch}.rpm"))
            }
            Self::Bundle | Self::Installer => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn an_unpacked_appimage_is_not_updated() {
        assert_eq!(Form::of(&BundleType::AppImage, true), Some(Form::Bundle));
        assert_eq!(Form::of(&BundleType::AppImage, false), None);
        assert_eq!(Form::of(&BundleType::Deb, false), Some(Form::Deb));
        assert_eq!(Form::of(&BundleType::Nsis, false), Some(Form::Installer));
    }

    #[rstest]
    #[case(Form::Deb, "x86_64", &[], Some("sudo apt install ./Askdesk_0.3.0_amd64.deb"))]
    #[case(Form::Deb, "aarch64", &[], Some("sudo apt install ./Askdesk_0.3.0_arm64.deb"))]
    #[case(Form::Rpm, "x86_64", &["dnf", "zypper"], Some("sudo dnf install ./Askdesk-0.3.0-1.x86_64.rpm"))]
    #[case(Form::Rpm, "aarch64", &["zypper"], Some("sudo zypper install ./Askdesk-0.3.0-1.aarch64.rpm"))]
    #[case(Form::Rpm, "x86_64", &[], Some("sudo rpm --upgrade ./Askdesk-0.3.0-1.x86_64.rpm"))]
    #[case(Form::Bundle, "x86_64", &[], None)]
    fn what_belongs_to_the_package_manager_is_installed_by_the_user(
        #[case] form: Form,
        #[case] arch: &str,
        #[case] programs: &[&str],
        #[case] expected: Option<&str>,
    ) {
        let command = form.command("0.3.0", arch, |program| programs.contains(&program));
        assert_eq!(command.as_deref(), expected);
        assert_eq!(form.by_hand("0.3.0").is_some(), expected.is_some());
    }
}
