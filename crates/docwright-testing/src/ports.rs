//! Ports for servers that can't listen on port 0 and report it: web servers, certificate authorities, a service
//! that restarts at the same address. Each port is locked against other tests and processes.

use std::{
    fs::File,
    net::{Ipv4Addr, TcpListener},
    path::Path,
};

/// Below the ephemeral ports of common systems (Linux: from 32768 on), so no connection and no listener on port 0
/// gets one of them.
const RANGE: std::ops::Range<u16> = 21_000..27_000;

/// A port that belongs to its holder until it is dropped. Nothing listens there unless the holder starts it.
#[derive(Debug)]
pub struct Port {
    number: u16,
    /// Locked while the port is held; the system releases it when the process ends.
    _lock: File,
}

impl Port {
    /// Takes a port that is not locked and has no listener.
    ///
    /// # Panics
    ///
    /// If all ports are taken.
    pub fn take() -> Self {
        let folder = std::env::temp_dir();
        let port = RANGE.into_iter().find_map(|number| {
            let lock = lock(&folder, number)?;
            is_unused(number).then_some(Self { number, _lock: lock })
        });
        port.expect("a port of the tests' range is free")
    }

    /// Its number.
    pub const fn number(&self) -> u16 {
        self.number
    }
}

/// The lock of a port, unless it is taken. All processes share the folder of the locks.
fn lock(folder: &Path, number: u16) -> Option<File> {
    let path = folder.join(format!("docwright-port-{number}.lock"));
    // A file of another user, which can't be opened, locks the port for that user.
    let lock = File::options().create(true).append(true).open(path).ok()?;
    lock.try_lock().ok()?;
    Some(lock)
}

/// Whether a port has no listener at any address. Programs without knowledge of the locks can listen there.
fn is_unused(port: u16) -> bool {
    let addresses = [Ipv4Addr::LOCALHOST, Ipv4Addr::UNSPECIFIED];
    addresses.iter().all(|address| TcpListener::bind((*address, port)).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_ports_differ() {
        let (first, second) = (Port::take(), Port::take());
        assert_ne!(first.number(), second.number());
        assert!(RANGE.contains(&first.number()) && RANGE.contains(&second.number()));
    }

    #[test]
    fn port_is_locked_once() {
        let folder = tempfile::tempdir().unwrap();
        let held = lock(folder.path(), 1).unwrap();
        assert!(lock(folder.path(), 1).is_none());
        assert!(lock(folder.path(), 2).is_some());
        // Not dropped: a process that starts in the meantime also has a handle of it, until it runs its program.
        held.unlock().unwrap();
        assert!(lock(folder.path(), 1).is_some());
    }

    #[test]
    fn port_with_a_listener_is_not_taken() {
        let port = Port::take();
        let number = port.number();
        let _listener = TcpListener::bind((Ipv4Addr::LOCALHOST, number)).unwrap();
        assert!(!is_unused(number));
        drop(port);
        assert_ne!(Port::take().number(), number);
    }
}
