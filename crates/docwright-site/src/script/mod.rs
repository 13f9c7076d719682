//! Code of authors: transpiled, and run in `QuickJS`.
//!
//! Owns what it takes to get from JavaScript, JSX and TypeScript to data and trees of elements.
//! Knows nothing of pages, Markdown or HTML; what it runs can reach no file, network or clock.

mod engine;
mod tailwind;
mod transpile;

pub use engine::{Engine, Expression, Form, Outcome};
/// What code sees without an import, besides built-in components.
pub const PRELUDE: &[&str] = &[
    "h",
    "Fragment",
    "React",
    // Where authors take built-in components from by name.
    "MintlifyComponents",
    "user",
    "useState",
    "useReducer",
    "useEffect",
    "useLayoutEffect",
    "useMemo",
    "useCallback",
    "useRef",
    "useContext",
    "useId",
    "useImperativeHandle",
    "useDebugValue",
    "useDeferredValue",
    "useTransition",
    "useSyncExternalStore",
];

pub use tailwind::{Colors, tailwind};
pub use transpile::{Script, SyntaxError, transpile_expression, transpile_module};
