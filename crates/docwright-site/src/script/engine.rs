//! `QuickJS` with limits: authors' code runs here and can access only its input.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use rquickjs::{CatchResultExt, CaughtError, Context, Function, Runtime};
use serde_json::{Value, json};

use super::Script;

/// Memory limit of one page's code in bytes.
const MEMORY: usize = 96 * 1024 * 1024;
/// Depth of its calls. Bytes.
const STACK: usize = 768 * 1024;
/// Maximum number of `QuickJS` interrupt checks, one about every 10,000 calls and jumps. It is counted, not
/// timed, so that the same page gives the same result on any machine. About a second.
const PATIENCE: u32 = 4_000;
/// Maximum total time of one page's code if counting doesn't stop it, since native work is counted only
/// roughly.
const DEADLINE: Duration = Duration::from_secs(30);

/// Authors' code on one page. Each page has its own engine, so that pages are independent.
pub struct Engine {
    context: Context,
    budget: Arc<Budget>,
    // Dropped after the context.
    _runtime: Runtime,
}

/// The remaining budget of a page's code.
#[derive(Debug)]
struct Budget {
    /// Steps of about 10,000 jumps, calls, or items that native methods went through.
    left: AtomicU32,
    deadline: Instant,
    /// Whether it reached the deadline.
    is_late: AtomicBool,
}

impl Budget {
    /// Uses up some steps. Whether nothing is left.
    fn spend(&self, steps: u32) -> bool {
        if Instant::now() >= self.deadline {
            self.is_late.store(true, Ordering::Relaxed);
            return true;
        }
        let left = self.left.load(Ordering::Relaxed).saturating_sub(steps);
        self.left.store(left, Ordering::Relaxed);
        left == 0
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Engine").finish_non_exhaustive()
    }
}

/// The result of an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The value, or the tree: see `runtime.js` for its form.
    pub value: Value,
    /// Whether it needs a browser: it has state, effects, or handlers.
    pub interactive: bool,
}

/// The requested form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Components called, down to elements and text.
    Tree,
    /// Data.
    Data,
}

/// An expression with its position.
#[derive(Debug, Clone, Copy)]
pub struct Expression<'a> {
    /// Key of the module it sees.
    pub module: &'a str,
    /// Additional names in scope, with their values.
    pub scope: &'a serde_json::Map<String, Value>,
    /// Plain JavaScript.
    pub code: &'a str,
}

impl Engine {
    /// An engine with built-in components of these names.
    pub fn new(components: &[&str]) -> Result<Self, String> {
        Self::with_deadline(components, DEADLINE)
    }

    fn with_deadline(components: &[&str], allowed: Duration) -> Result<Self, String> {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        runtime.set_memory_limit(MEMORY);
        runtime.set_max_stack_size(STACK);
        let budget = Arc::new(Budget {
            left: AtomicU32::new(PATIENCE),
            deadline: Instant::now() + allowed,
            is_late: AtomicBool::new(false),
        });
        let asked = Arc::clone(&budget);
        runtime.set_interrupt_handler(Some(Box::new(move || asked.spend(1))));
        let context = Context::full(&runtime).map_err(|error| error.to_string())?;
        let engine = Self { context, budget, _runtime: runtime };
        engine.meter().map_err(|error| error.to_string())?;
        for code in
            [include_str!("metering.js"), include_str!("shims.js"), include_str!("runtime.js")]
        {
            engine.run(code)?;
        }
        engine.call("$setUp", &[json!(components)])?;
        Ok(engine)
    }

    /// Offers `$spend(steps)` to the script that counts native work, which hides it from other code.
    fn meter(&self) -> rquickjs::Result<()> {
        let budget = Arc::clone(&self.budget);
        self.context.with(|ctx| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the cast saturates, and steps are positive"
            )]
            let spend = move |steps: f64| budget.spend(steps as u32);
            ctx.globals().set("$spend", Function::new(ctx.clone(), spend)?)
        })
    }

    /// Defines a module under a key. `targets` maps its imports to keys.
    pub fn define(&self, key: &str, script: &Script, targets: &Value) -> Result<(), String> {
        self.call("$define", &[json!(key), json!(script.body), targets.clone()]).map(drop)
    }

    /// Evaluates an expression.
    pub fn evaluate(&self, expression: Expression<'_>, form: Form) -> Result<Outcome, String> {
        let Expression { module, scope, code } = expression;
        let tree = form == Form::Tree;
        let given = [json!(module), json!(scope), json!(code), json!(tree)];
        let answer = self.call("$evaluate", &given)?;
        let mut answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
        Ok(Outcome {
            interactive: answer["interactive"] == json!(true),
            value: answer["value"].take(),
        })
    }

    /// Calls a function of the runtime with arguments as JSON.
    fn call(&self, name: &str, arguments: &[Value]) -> Result<String, String> {
        self.context.with(|ctx| {
            let call = || {
                let function: Function<'_> = ctx.globals().get(name)?;
                let arguments = Value::from(arguments).to_string();
                function.call::<_, Option<String>>((arguments,))
            };
            call().catch(&ctx).map(Option::unwrap_or_default).map_err(|error| self.describe(&error))
        })
    }

    fn run(&self, code: &str) -> Result<(), String> {
        self.context
            .with(|ctx| ctx.eval::<(), _>(code).catch(&ctx).map_err(|error| self.describe(&error)))
    }

    /// An error's message without a stack trace, which doesn't help authors.
    fn describe(&self, error: &CaughtError<'_>) -> String {
        match error {
            CaughtError::Exception(exception) => match exception.message() {
                Some(message) if message == "interrupted" => self.why_interrupted(),
                Some(message) if message == "out of memory" => {
                    "it needs too much memory".to_owned()
                }
                Some(message) => message,
                None => "it threw an error without a message".to_owned(),
            },
            CaughtError::Value(value) => {
                let text = value.as_string().and_then(|text| text.to_string().ok());
                text.unwrap_or_else(|| "it threw something that is not an error".to_owned())
            }
            CaughtError::Error(error) => error.to_string(),
        }
    }

    /// Whether the clock ended its code, so that another run can have another result.
    pub fn is_late(&self) -> bool {
        self.budget.is_late.load(Ordering::Relaxed)
    }

    fn why_interrupted(&self) -> String {
        if self.is_late() {
            return "it took too long by the clock, and was ended".to_owned();
        }
        "it runs too long: it does not end, or repeats far too often".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{transpile_expression, transpile_module};
    use super::*;

    fn evaluate(module: &str, expression: &str, form: Form) -> Result<Outcome, String> {
        let engine = Engine::new(&["Card", "Tree.File"]).unwrap();
        let script = transpile_module(module, "page.jsx").unwrap();
        engine.define("page", &script, &json!({"react": "react"})).unwrap();
        let code = transpile_expression(expression).unwrap();
        let scope = serde_json::Map::from_iter([("given".to_owned(), json!("g"))]);
        engine.evaluate(Expression { module: "page", scope: &scope, code: &code }, form)
    }

    fn tree(module: &str, expression: &str) -> Value {
        evaluate(module, expression, Form::Tree).unwrap().value
    }

    #[test]
    fn components_are_called_down_to_elements() {
        let module = "export const A = ({n, children}) => <p className=\"x\">{n}{children}</p>";
        assert_eq!(
            tree(module, "<A n={2}><Card title={given}/></A>"),
            json!([{"t": "p", "p": {"className": "x"}, "c": ["2", {"b": "Card", "p": {"title": "g"}, "c": []}]}])
        );
        assert_eq!(tree("", "[1, 2].map(n => <i key={n}>{n}</i>)").as_array().unwrap().len(), 2);
        assert_eq!(tree("", "<Tree.File name='a'/>")[0]["b"], json!("Tree.File"));
    }

    #[test]
    fn state_effects_and_handlers_make_it_interactive() {
        let module = "import {useState} from 'react'\nexport const C = () => { const [n, set] = useState(1); return <button onClick={() => set(n + 1)}>{n}</button> }";
        let outcome = evaluate(module, "<C/>", Form::Tree).unwrap();
        assert!(outcome.interactive);
        assert_eq!(outcome.value, json!([{"t": "button", "p": {}, "c": ["1"]}]));
        assert!(!evaluate("", "<b/>", Form::Tree).unwrap().interactive);
    }

    #[test]
    fn data_keeps_its_form() {
        let outcome =
            evaluate("export const a = [1].concat([2])", "({a, f: () => 1, b: <b/>})", Form::Data);
        assert_eq!(
            outcome.unwrap().value,
            json!({"a": [1, 2], "b": {"$jsx": [{"t": "b", "p": {}, "c": []}]}})
        );
    }

    #[test]
    fn hostile_code_ends_with_an_error() {
        for (code, expected) in [
            ("(() => { for (;;) {} })()", "runs too long"),
            ("(() => { const a = []; for (;;) a.push(new Array(10000).fill(1)) })()", "memory"),
            ("(() => { const f = () => f() + 1; return f() })()", "stack"),
            ("(() => { throw new Error('no') })()", "no"),
            ("missing.thing", "missing"),
            ("'x'.repeat(1 << 29).repeat(64)", ""),
        ] {
            let error = evaluate("", code, Form::Tree).unwrap_err();
            assert!(error.contains(expected), "{code}: {error}");
        }
    }

    #[test]
    fn native_work_is_counted() {
        for code in [
            "(() => { const a = new Array(2e6).fill(1); for (;;) a.indexOf(2) })()",
            "(() => { const a = new Array(2e6).fill(1); for (;;) try { a.indexOf(2) } catch {} })()",
            "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
            "(() => { for (;;) 'x'.repeat(4e6) })()",
            "(() => { const t = 'x'.repeat(4e6); for (;;) t.includes('y') })()",
            "(() => { const a = new Uint8Array(4e6); for (;;) a.fill(1) })()",
            "(() => { const o = '[' + '1,'.repeat(1e6) + '1]'; for (;;) JSON.parse(o) })()",
        ] {
            let error = evaluate("", code, Form::Tree).unwrap_err();
            assert!(error.contains("runs too long"), "{code}: {error}");
        }
    }

    #[test]
    fn counted_methods_match_methods_of_the_engine() {
        let code = "[[3, 1].sort().join(), 'a-b'.replace('-', '+'), [].map.name, [].map.length, \
                    Array.from('ab').length, [...'ab'].length, Object.keys([].map).length]";
        let outcome = evaluate("", code, Form::Data).unwrap();
        assert_eq!(outcome.value, json!(["1,3", "a+b", "map", 1, 2, 2, 0]));
    }

    #[test]
    fn deadline_ends_code_within_budget() {
        let budget = |deadline| Budget { left: AtomicU32::new(9), deadline, is_late: false.into() };
        assert!(budget(Instant::now()).spend(1), "steps are left, time is not");
        assert!(!budget(Instant::now() + DEADLINE).spend(1));
        // Even setup can stop it.
        let scope = serde_json::Map::new();
        let code = "(() => { for (;;) {} })()";
        let error = Engine::with_deadline(&[], Duration::ZERO)
            .and_then(|engine| {
                engine.define("page", &Script::default(), &json!({}))?;
                engine.evaluate(Expression { module: "page", scope: &scope, code }, Form::Data)
            })
            .unwrap_err();
        assert!(error.contains("by the clock"), "{error}");
    }

    #[test]
    fn browser_globals_are_tolerated() {
        let module = "export const W = () => { const wide = window.innerWidth > 3; document.title; return <i>{wide ? 'a' : 'b'}</i> }";
        let outcome = evaluate(module, "<W/>", Form::Tree).unwrap();
        assert!(outcome.interactive);
        assert_eq!(outcome.value[0]["t"], json!("i"));
    }
}
