// React's public interface during the build, and the functions that docwright calls.
//
// A tree is a list of texts and objects: `t` is an element, `b` a built-in component, `m` an MDX snippet (its
// path), each with props `p` and children `c`; `s` is the number of a slot for the author's Markdown; `html`
// is raw markup.
(function (global) {
  "use strict";
  const ELEMENT = Symbol("element");
  const CONTEXT = Symbol("context");
  const modules = new Map();
  const builtIns = {};
  const Fragment = (props) => props.children;
  global.$interactive = false;

  function h(type, props, ...children) {
    const { key, ...rest } = props || {};
    if (children.length === 1) rest.children = children[0];
    else if (children.length > 1) rest.children = children;
    return { $$typeof: ELEMENT, type, key: key === undefined ? null : key, props: rest, ref: (props && props.ref) || null };
  }
  const isElement = (value) => value !== null && typeof value === "object" && value.$$typeof === ELEMENT;

  // ---- hooks: the first render only ----
  const interactive = () => (global.$interactive = true);
  const initial = (value) => (typeof value === "function" ? value() : value);
  let contexts = new Map();
  const hooks = {
    useState: (value) => (interactive(), [initial(value), () => {}]),
    useReducer: (_, value, init) => (interactive(), [init ? init(value) : value, () => {}]),
    useEffect: interactive,
    useLayoutEffect: interactive,
    useInsertionEffect: interactive,
    useMemo: (make) => make(),
    useCallback: (callback) => callback,
    useRef: (value) => ({ current: value === undefined ? null : value }),
    useContext: (context) => (contexts.has(context) ? contexts.get(context) : context.initial),
    useId: (() => {
      let next = 0;
      return () => "id-" + ++next;
    })(),
    useImperativeHandle: () => {},
    useDebugValue: () => {},
    useDeferredValue: (value) => value,
    useTransition: () => [false, (run) => run()],
    useSyncExternalStore: (_, snapshot, server) => (interactive(), (server || snapshot)()),
  };
  const toArray = (children) => (children === undefined || children === null || typeof children === "boolean" ? [] : Array.isArray(children) ? children.flatMap(toArray) : [children]);
  const React = {
    ...hooks,
    createElement: h,
    Fragment,
    StrictMode: Fragment,
    Suspense: Fragment,
    isValidElement: isElement,
    cloneElement: (element, props, ...children) => h(element.type, { ...element.props, key: element.key, ...props }, ...(children.length ? children : toArray(props && "children" in props ? props.children : element.props.children))),
    createContext(initial) {
      const context = { [CONTEXT]: true, initial };
      context.Provider = (props) => props.children;
      context.Provider[CONTEXT] = context;
      context.Consumer = (props) => props.children(hooks.useContext(context));
      return context;
    },
    createRef: () => ({ current: null }),
    forwardRef: (render) => (props) => render(props, null),
    memo: (component) => component,
    startTransition: (run) => run(),
    Children: {
      map: (children, visit) => toArray(children).map(visit),
      forEach: (children, visit) => toArray(children).forEach(visit),
      toArray,
      count: (children) => toArray(children).length,
      only: (children) => toArray(children)[0],
    },
    Component: class Component {
      constructor(props) {
        this.props = props;
        this.state = {};
      }
      setState() {}
    },
  };
  React.PureComponent = React.Component;
  React.default = React;
  const ReactDom = { createPortal: () => null };
  ReactDom.default = ReactDom;

  // Names that code can use without an import.
  const prelude = { ...hooks, React, Fragment, h, user: {} };
  // Modules can look for it among the globals while they are loaded.
  global.React = React;

  // ---- modules ----
  // An undeclared name shows its children.
  const passing = () => new Proxy({}, { get: (_, key) => (key === "__esModule" ? undefined : Fragment) });
  function load(key) {
    if (key === "react") return React;
    if (key === "react-dom") return ReactDom;
    if (key.startsWith("snippet:")) return { default: { snippet: key.slice(8) } };
    const module = modules.get(key);
    if (!module) return passing();
    if (!module.exports) {
      module.exports = {};
      try {
        module.see = module.run((target) => load(module.targets[target] || "missing"), module.exports);
      } catch (error) {
        // The next use fails for the same reason, not for what the module didn't export.
        module.exports = null;
        throw error;
      }
    }
    return module.exports;
  }
  function seen(key) {
    load(key);
    const module = modules.get(key);
    return (module && module.see) || ((code) => (0, eval)(code));
  }

  // ---- expansion ----
  function expand(node, into) {
    if (node === null || node === undefined || typeof node === "boolean" || typeof node === "function") return into;
    if (typeof node === "object") {
      if (isElement(node)) element(node, into);
      else if (node.$slot !== undefined) into.push({ s: node.$slot });
      else if (typeof node[Symbol.iterator] === "function") for (const child of node) expand(child, into);
      else throw new Error("Objects can't be shown as text: found one with the keys " + Object.keys(node).join(", "));
      return into;
    }
    const text = String(node);
    if (typeof into[into.length - 1] === "string") into[into.length - 1] += text;
    else if (text) into.push(text);
    return into;
  }
  function element(node, into) {
    const { type, props } = node;
    if (type === undefined || type === null || type === Fragment) return expand(props.children, into);
    if (typeof type === "string") return host(type, props, node.ref, into);
    if (type.builtIn) return into.push({ b: type.builtIn, p: encodeProps(props), c: expand(props.children, []) });
    if (type.snippet) return into.push({ m: type.snippet, p: encodeProps(props), c: expand(props.children, []) });
    if (typeof type !== "function") return expand(props.children, into);
    if (type[CONTEXT]) {
      const outer = contexts;
      contexts = new Map(contexts).set(type[CONTEXT], props.value);
      expand(props.children, into);
      contexts = outer;
      return into;
    }
    const given = type.defaultProps ? { ...type.defaultProps, ...props } : props;
    if (type.prototype && typeof type.prototype.render === "function") {
      const instance = new type(given);
      instance.props = given;
      interactive();
      return expand(instance.render(), into);
    }
    return expand(type(given), into);
  }
  const RENAMED = { defaultValue: "value", defaultChecked: "checked" };
  function host(name, props, ref, into) {
    if (ref) interactive();
    const { children, dangerouslySetInnerHTML: raw, ...rest } = props;
    for (const key of Object.keys(rest)) if (typeof rest[key] === "function" && /^on[A-Z]/.test(key)) interactive();
    const encoded = encodeProps(rest);
    for (const key of Object.keys(RENAMED)) {
      if (key in encoded) {
        encoded[RENAMED[key]] = encoded[key];
        delete encoded[key];
      }
    }
    let inner = raw && raw.__html !== undefined ? [{ html: String(raw.__html) }] : expand(children, []);
    if (name === "textarea" && "value" in encoded) {
      inner = [String(encoded.value)];
      delete encoded.value;
    }
    if (name === "select") delete encoded.value;
    delete encoded.suppressHydrationWarning;
    delete encoded.ref;
    into.push({ t: name, p: encoded, c: inner });
    return into;
  }
  function encodeProps(props) {
    const encoded = {};
    for (const key of Object.keys(props)) {
      if (key === "children") continue;
      const value = encode(props[key]);
      if (value !== undefined) encoded[key] = value;
    }
    return encoded;
  }
  function encode(value) {
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
    if (typeof value === "bigint") return String(value);
    if (typeof value !== "object") return undefined;
    if (isElement(value) || value.$slot !== undefined) return { $jsx: expand(value, []) };
    if (Array.isArray(value)) return value.map((item) => encode(item)).map((item) => (item === undefined ? null : item));
    if (value instanceof Date) return String(value);
    return encodeProps({ ...value });
  }

  // ---- browser globals, for code that uses them without checks ----
  const anything = new Proxy(function () {}, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => "" : key === Symbol.iterator ? () => [][Symbol.iterator]() : key === "length" ? 0 : anything),
    apply: () => anything,
    construct: () => anything,
    set: () => true,
    has: () => true,
  });
  const BROWSER = ["window", "document", "localStorage", "sessionStorage", "navigator", "location", "history", "MutationObserver", "IntersectionObserver", "ResizeObserver", "matchMedia", "getComputedStyle", "fetch", "customElements", "HTMLElement", "Element", "Node", "Event", "CustomEvent", "addEventListener", "removeEventListener"];
  function tolerate() {
    for (const name of BROWSER) if (!(name in global)) global[name] = anything;
  }

  // ---- functions for docwright; the argument is a JSON array ----
  global.$setUp = function (given) {
    const [names] = JSON.parse(given);
    for (const name of names) {
      const parts = name.split(".");
      const component = parts.reduce((holder, part) => (holder[part] = holder[part] || {}), builtIns);
      component.builtIn = name;
    }
    Object.assign(prelude, builtIns, { MintlifyComponents: builtIns });
  };
  global.$define = function (given) {
    const [key, body, targets] = JSON.parse(given);
    // The prelude is outside the module, so that the module's own names win.
    const names = Object.keys(prelude).filter((name) => name === "h" || name === "Fragment" || body.includes(name));
    const source = `return function (require, exports) { "use strict"; ${body}\n; return ($code) => eval($code); }`;
    const run = new Function(...names, source)(...names.map((name) => prelude[name]));
    modules.set(key, { run, targets, exports: null, see: null });
  };
  global.$evaluate = function (given) {
    const [key, scope, code, asTree] = JSON.parse(given, (_, value) => (value && value.$slot !== undefined ? { $slot: value.$slot } : value));
    const attempt = () => {
      global.$interactive = false;
      const see = seen(key);
      for (const name of Object.keys(prelude)) if (!(name in global)) global[name] = prelude[name];
      const names = Object.keys(scope);
      const value = see(`((${names.join(",")}) => ${code})`)(...names.map((name) => scope[name]));
      return asTree ? expand(value, []) : encode(value);
    };
    let value;
    try {
      value = attempt();
    } catch (error) {
      const known = error instanceof ReferenceError || error instanceof TypeError;
      if (!known || "window" in global) throw error;
      tolerate();
      for (const module of modules.values()) module.exports = null;
      contexts = new Map();
      try {
        value = attempt();
      } catch (_) {
        throw error;
      }
      interactive();
    }
    return JSON.stringify({ value: value === undefined ? null : value, interactive: global.$interactive });
  };
})(globalThis);
