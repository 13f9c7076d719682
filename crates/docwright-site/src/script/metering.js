// QuickJS calls its interrupt handler after a number of calls and jumps, and a native method is a single
// call, however long it takes. So native methods on texts and lists cost as much as their length.
(function (global) {
  "use strict";
  const spend = global.$spend;
  delete global.$spend;
  const apply = Reflect.apply;
  const STEP = 10000;
  let owed = 0;
  const pay = (length) => {
    if (!(length > 0)) return;
    owed += length;
    if (owed < STEP) return;
    const steps = owed / STEP;
    owed = 0;
    // Only the interrupt handler can end code that catches every error.
    if (spend(steps)) for (;;);
  };
  const isSized = (value) => typeof value === "string" || (typeof value === "object" && value !== null);
  const metered = (method, measured) => {
    const wrapped = {
      method(...given) {
        const before = measured(this, given);
        if (isSized(before)) pay(before.length);
        const result = apply(method, this, given);
        if (isSized(result)) pay(result.length);
        return result;
      },
    }.method;
    Object.defineProperty(wrapped, "name", { value: method.name, configurable: true });
    Object.defineProperty(wrapped, "length", { value: method.length, configurable: true });
    return wrapped;
  };
  // Methods that read a single item.
  const CHEAP = new Set(["constructor", "at", "charAt", "charCodeAt", "codePointAt", "push", "pop", "keys", "values", "entries", "valueOf"]);
  const meter = (owner, measured) => {
    for (const key of Object.getOwnPropertyNames(owner)) {
      const { value, writable } = Object.getOwnPropertyDescriptor(owner, key);
      if (typeof value !== "function" || !writable || CHEAP.has(key)) continue;
      const wrapped = metered(value, measured);
      Object.defineProperty(owner, key, { value: wrapped, writable: true, enumerable: false, configurable: true });
    }
  };
  const receiver = (self) => self;
  meter(Array.prototype, receiver);
  meter(String.prototype, receiver);
  meter(Object.getPrototypeOf(Int8Array.prototype), receiver);
  for (const key of ["keys", "values", "entries", "getOwnPropertyNames", "assign"]) {
    Object[key] = metered(Object[key], (_, given) => given[0]);
  }
  JSON.parse = metered(JSON.parse, (_, given) => given[0]);
  JSON.stringify = metered(JSON.stringify, (_, given) => given[0]);
  const from = Array.from;
  Array.from = function (...given) {
    const result = apply(from, this, given);
    pay(result.length);
    return result;
  };
})(globalThis);
