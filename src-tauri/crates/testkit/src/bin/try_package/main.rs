//! Installs a package of Askdesk in a system of its own, as the guide says, and works with it as a user does: in the real window, with
//! a real agent. `cargo xtask try-package` starts it as root, with a display and in a mount namespace.

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("packages are tried on Linux only");
}

#[cfg(target_os = "linux")]
mod desk;
#[cfg(target_os = "linux")]
mod guide;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod root;
#[cfg(target_os = "linux")]
mod rpm;
#[cfg(target_os = "linux")]
mod trial;
#[cfg(target_os = "linux")]
mod update;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let options = match trial::Options::of(std::env::args_os().skip(1)) {
        Ok(options) => options,
        Err(failure) => {
            eprintln!("try-package: {failure}");
            return std::process::ExitCode::from(2);
        }
    };
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("try-package: {error}");
            return std::process::ExitCode::FAILURE;
        }
    };
    let mut report = report::Report::default();
    runtime.block_on(trial::case_87_a_package_serves_a_user_from_install_to_removal(&mut report, &options));
    if report.close() { std::process::ExitCode::SUCCESS } else { std::process::ExitCode::FAILURE }
}
