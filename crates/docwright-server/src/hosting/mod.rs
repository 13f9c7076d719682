//! Serving built sites to their readers.
