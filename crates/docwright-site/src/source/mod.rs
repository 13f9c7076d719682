//! The files of a docs root, read safely.
//!
//! Owns: what is read, what is ignored (`.mintignore`, the fixed names), that no path or link
//! leaves the root, and limits on size and count. Does not look inside files.
