//! What docwright does in the background: publishing, queues, source repositories, upkeep.
