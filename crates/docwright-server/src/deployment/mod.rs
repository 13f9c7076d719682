//! Serving a bundle in a client-hosted place: fetch, verify, unpack, switch, serve.
