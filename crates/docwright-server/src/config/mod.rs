//! Settings from defaults, file, environment and flags. Nothing else reads the environment.
