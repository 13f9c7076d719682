//! The administrative HTTP API: one folder a resource, one file an operation.
