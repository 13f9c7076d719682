//! docwright's database and object stores.
