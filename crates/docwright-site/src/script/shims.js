// Globals that QuickJS lacks and that pages need during the build. They depend neither on time nor on chance,
// since the same page must give the same bytes.
(function (global) {
  "use strict";
  const nothing = () => {};
  global.console = new Proxy({}, { get: () => nothing });
  for (const name of ["setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback", "queueMicrotask"]) global[name] = () => 0;
  for (const name of ["clearTimeout", "clearInterval", "cancelAnimationFrame", "cancelIdleCallback"]) global[name] = nothing;
  global.structuredClone = (value) => (value === undefined ? value : JSON.parse(JSON.stringify(value)));

  // Readers must not see the time of the build. Components that use the time run again in the browser.
  const RealDate = Date;
  const EPOCH = RealDate.UTC(2025, 0, 1);
  global.Date = new Proxy(RealDate, {
    construct(target, args) {
      if (args.length === 0) {
        global.$interactive = true;
        return new target(EPOCH);
      }
      return new target(...args);
    },
    apply: () => new RealDate(EPOCH).toString(),
    get: (target, key) => (key === "now" ? () => ((global.$interactive = true), EPOCH) : target[key]),
  });
  let seed = 1;
  Math.random = () => {
    global.$interactive = true;
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };

  const grouped = (number, options) => {
    const fixed = options && options.maximumFractionDigits !== undefined;
    const least = (options && options.minimumFractionDigits) || 0;
    let text = fixed ? number.toFixed(options.maximumFractionDigits) : String(Math.round(number * 1000) / 1000);
    let [whole, fraction = ""] = text.split(".");
    if (fixed) fraction = fraction.replace(/0+$/, "");
    fraction = fraction.padEnd(least, "0");
    whole = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    text = fraction ? whole + "." + fraction : whole;
    if (options && options.style === "percent") return grouped(number * 100, { ...options, style: undefined }) + "%";
    if (options && options.style === "currency" && options.currency === "USD") return "$" + text;
    return text;
  };
  Number.prototype.toLocaleString = function (_, options) {
    return grouped(Number(this), options);
  };
  const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
  const written = (date, options) => {
    const month = MONTHS[date.getUTCMonth()];
    if (options && options.month === "long") return month + (options.day ? " " + date.getUTCDate() + "," : "") + (options.year ? " " + date.getUTCFullYear() : "");
    if (options && options.month === "short") return month.slice(0, 3) + (options.day ? " " + date.getUTCDate() + "," : "") + (options.year ? " " + date.getUTCFullYear() : "");
    return date.getUTCMonth() + 1 + "/" + date.getUTCDate() + "/" + date.getUTCFullYear();
  };
  RealDate.prototype.toLocaleDateString = function (_, options) {
    return written(this, options);
  };
  class NumberFormat {
    constructor(_, options) {
      this.format = (number) => grouped(Number(number), options);
    }
  }
  class DateTimeFormat {
    constructor(_, options) {
      this.format = (date) => written(new RealDate(date), options);
      this.resolvedOptions = () => ({ timeZone: "UTC", locale: "en-US" });
    }
  }
  class Collator {
    compare(a, b) {
      return a < b ? -1 : a > b ? 1 : 0;
    }
  }
  class PluralRules {
    select(number) {
      return number === 1 ? "one" : "other";
    }
  }
  global.Intl = { NumberFormat, DateTimeFormat, Collator, PluralRules };

  global.URLSearchParams = class URLSearchParams {
    constructor(init) {
      this.pairs = [];
      if (typeof init === "string") {
        for (const part of init.replace(/^\?/, "").split("&").filter(Boolean)) {
          const [key, value = ""] = part.split("=");
          this.pairs.push([decodeURIComponent(key), decodeURIComponent(value.replace(/\+/g, " "))]);
        }
      } else if (init) for (const key of Object.keys(init)) this.pairs.push([key, String(init[key])]);
    }
    get(key) {
      const pair = this.pairs.find(([name]) => name === key);
      return pair ? pair[1] : null;
    }
    has(key) {
      return this.get(key) !== null;
    }
    set(key, value) {
      this.delete(key);
      this.append(key, value);
    }
    append(key, value) {
      this.pairs.push([key, String(value)]);
    }
    delete(key) {
      this.pairs = this.pairs.filter(([name]) => name !== key);
    }
    toString() {
      return this.pairs.map(([key, value]) => encodeURIComponent(key) + "=" + encodeURIComponent(value)).join("&");
    }
    [Symbol.iterator]() {
      return this.pairs[Symbol.iterator]();
    }
  };
  global.URL = class URL {
    constructor(href, base) {
      const absolute = /^[a-z][a-z0-9+.-]*:/i.test(href) ? href : String(base || "").replace(/\/[^/]*$/, "") + href;
      const parts = /^([a-z][a-z0-9+.-]*:)\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(absolute);
      if (!parts) throw new TypeError("Invalid URL");
      [this.protocol, this.host, this.pathname, this.search, this.hash] = parts.slice(1).map((part) => part || "");
      this.hostname = this.host.replace(/:\d+$/, "");
      this.port = this.host.slice(this.hostname.length + 1);
      this.origin = this.protocol + "//" + this.host;
      this.pathname = this.pathname || "/";
      this.searchParams = new URLSearchParams(this.search);
    }
    get href() {
      const query = this.searchParams.toString();
      return this.origin + this.pathname + (query ? "?" + query : "") + this.hash;
    }
    toString() {
      return this.href;
    }
  };
})(globalThis);
