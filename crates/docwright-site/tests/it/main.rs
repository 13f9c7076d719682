//! All integration tests of the compiler in one binary, with one module for each part.

mod agents;
mod answers;
mod api_keywords;
mod api_pages;
mod build;
mod bundle;
mod code;
mod code_values;
mod comparison;
mod components;
mod consent;
mod descriptions;
mod docs_root;
mod embeddings;
mod features;
mod fonts;
mod hostile;
mod ignore;
mod navigation;
mod plain_markdown;
mod reference;
mod scripted;
mod search;
mod site;
mod steps;
mod themes;
