//! Authors' code: transpiled, and run in `QuickJS`.
//!
//! Converts JavaScript, JSX, and TypeScript to data and trees of elements. It doesn't know pages, Markdown, or
//! HTML. The code has no access to files, the network, or the clock.

mod engine;
mod tailwind;
mod transpile;

pub use engine::{Engine, Expression, Form, Outcome};
/// Names that code can use without an import, in addition to built-in components.
pub const PRELUDE: &[&str] = &[
    "h",
    "Fragment",
    "React",
    // A namespace from which authors use built-in components.
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
