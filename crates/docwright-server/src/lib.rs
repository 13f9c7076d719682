//! docwright: a documentation platform in one binary.
