//! Files that a confined command can access, enforced by Landlock if the kernel supports it.
//! <https://docs.kernel.org/userspace-api/landlock.html>
//!
//! The network is not restricted: an agent needs its model. Landlock restricts ports, not addresses, so it can't
//! keep an agent from loopback and link-local addresses; the log and the manual say so.

use std::path::PathBuf;

/// Programs, libraries, and settings of the system: readable and executable.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/proc",
    "/sys",
    // Possible targets of /etc/resolv.conf.
    "/run/systemd/resolve",
    "/run/resolvconf",
];

/// Devices that every program can use.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Restricts this process, permanently, to the system's files and these folders and files. It can't signal other
/// processes either, nor inspect them. Missing paths are skipped. Returns whether the kernel enforces it; newer
/// kernels enforce more.
#[cfg(target_os = "linux")]
pub(super) fn enter(readable: &[PathBuf], writable: &[PathBuf]) -> anyhow::Result<bool> {
    use landlock::{
        ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
        path_beneath_rules,
    };
    let (read, all) = (AccessFs::from_read(ABI::V9), AccessFs::from_all(ABI::V9));
    let status = Ruleset::default()
        .handle_access(all)?
        .scope(Scope::from_all(ABI::V9))?
        .create()?
        .add_rules(path_beneath_rules(SYSTEM, read))?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile | AccessFs::WriteFile))?
        .add_rules(path_beneath_rules(readable, read))?
        .add_rules(path_beneath_rules(writable, all))?
        .restrict_self()?;
    drop_capabilities()?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}

/// Root's privileges are useless to an agent, and would let it read the environment of other processes despite
/// Landlock. Without new privileges, its programs don't get them back.
#[cfg(target_os = "linux")]
fn drop_capabilities() -> anyhow::Result<()> {
    use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};
    let none = CapabilitySet::empty();
    set_no_new_privs(true)?;
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(())
}

/// Other systems have no Landlock.
#[cfg(not(target_os = "linux"))]
pub(super) fn enter(_: &[PathBuf], _: &[PathBuf]) -> anyhow::Result<bool> {
    Ok(false)
}

/// Whether this kernel can confine a command to its files.
#[cfg(target_os = "linux")]
pub(crate) fn is_supported() -> bool {
    use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
    let required = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    required.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
}

/// Other systems have no Landlock.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_supported() -> bool {
    false
}
