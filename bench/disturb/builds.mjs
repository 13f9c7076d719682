// Disturbances of exports that run: they are killed, stopped, without room, or more than one. Each returns the exports
// whose bundle must be right.

import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";

const IS_ROOT = process.getuid?.() === 0;
/** The user without privileges. */
const NOBODY = 65534;

function bytesOf(file) {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/** Waits until an export adds results, or ends. */
async function untilItWrites({ child, ended }, file) {
  const before = bytesOf(file);
  let isRunning = true;
  ended.then(() => (isRunning = false));
  while (isRunning && bytesOf(file) === before) await setTimeout(1);
  return child;
}

/** Runs commands on a small file system of its own. */
async function onSmallDisk(folder, bytes, run) {
  mkdirSync(folder, { recursive: true });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${Math.max(bytes, 65_536)}`, "docwright-edits", folder], { encoding: "utf8" });
  if (mounted.status !== 0) throw new Error(`cannot mount a tmpfs: ${mounted.stderr}`);
  try {
    return await run();
  } finally {
    spawnSync("umount", [folder]);
  }
}

/** A destination whose bundle someone changed. */
const changedBundle = (change) => async ({ exports, change: edit, random }) => {
  if (random.chance(0.5)) await edit();
  const before = await exports.run("warm");
  const { mtime } = statSync(before.bundle);
  change(before.bundle, random);
  if (existsSync(before.bundle)) utimesSync(before.bundle, mtime, mtime);
  return [await exports.run("warm")];
};

export const BUILD_DISTURBANCES = {
  "killed at any time": async ({ exports, change, random, seconds }) => {
    await change();
    const { child, ended } = exports.start("killed", { out: "warm" });
    await setTimeout(random.below(seconds * 1100));
    child.kill("SIGKILL");
    await ended;
    return [];
  },
  "killed while it keeps results": async ({ exports, change, random, seconds, file }) => {
    await change();
    const started = exports.start("killed", { out: "warm" });
    await untilItWrites(started, file);
    await setTimeout(random.below(random.chance(0.5) ? 5 : seconds * 600));
    started.child.kill("SIGKILL");
    await started.ended;
    return [];
  },
  "killed at the end": async ({ exports, change, random, file }) => {
    await change();
    const { bundle } = await exports.run("measured", { isCold: true, out: "ended" });
    rmSync(bundle, { force: true });
    const { child, ended } = exports.start("killed", { out: "ended" });
    let isRunning = true;
    ended.then(() => (isRunning = false));
    // The last results are kept right after the bundle is there.
    while (isRunning && !existsSync(bundle)) await setTimeout(1);
    await setTimeout(random.below(4));
    child.kill("SIGKILL");
    await ended;
    rmSync(bundle, { force: true });
    return [];
  },
  "two at once": async ({ exports, change }) => {
    await change();
    return Promise.all([exports.run("one"), exports.run("other")]);
  },
  "two first ones at once": async ({ exports, file }) => {
    rmSync(file, { force: true });
    return Promise.all([exports.run("one"), exports.run("other")]);
  },
  "two at once to one file": async ({ exports, change }) => {
    await change();
    return Promise.all([exports.run("one", { out: "warm" }), exports.run("other", { out: "warm" })]);
  },
  "one stopped while the other runs": async ({ exports, change, random, seconds, file }) => {
    await change();
    const stopped = exports.start("one");
    if (random.chance(0.5)) await untilItWrites(stopped, file);
    else await setTimeout(random.below(seconds * 800));
    stopped.child.kill("SIGSTOP");
    const other = await exports.run("other");
    const third = await exports.run("warm");
    stopped.child.kill("SIGCONT");
    return [other, third, await stopped.ended];
  },
  "docs changed during an export": async ({ exports, change, random, seconds }) => {
    const { ended } = exports.start("torn", { out: "warm" });
    await setTimeout(random.below(seconds * 700));
    await change();
    await ended;
    return [];
  },
  "cache deleted during an export": async ({ exports, change, random, seconds, file }) => {
    await change();
    const started = exports.start("one");
    await setTimeout(random.below(seconds * 800));
    rmSync(random.chance(0.5) ? file : dirname(file), { recursive: true, force: true });
    return [await started.ended];
  },
  "cache cut off during an export": async ({ exports, change, random, file }) => {
    await change();
    const started = exports.start("one");
    await untilItWrites(started, file);
    if (existsSync(file)) truncateSync(file, random.below(bytesOf(file) + 1));
    const ran = await started.ended;
    // Results that it needs can be gone. Then it must say so, and write no bundle.
    return ran.status === 2 && ran.said.includes("changed while the site was built") ? [] : [ran];
  },
  "bundle damaged": changedBundle((bundle, random) => {
    const bytes = readFileSync(bundle);
    bytes[random.below(bytes.length)] ^= 0xff;
    writeFileSync(bundle, bytes);
  }),
  "bundle cut off": changedBundle((bundle, random) => truncateSync(bundle, random.below(bytesOf(bundle)))),
  "bundle deleted": changedBundle((bundle) => rmSync(bundle)),
  "disk full": async ({ exports, change, random, file }) => {
    if (!IS_ROOT) return undefined;
    const cache = exports.at("small");
    const whole = Math.max(bytesOf(file), 200_000);
    return onSmallDisk(cache, random.below(whole), async () => {
      await exports.run("one", { cache });
      await change();
      return [await exports.run("one", { cache }), await exports.run("other", { cache })];
    });
  },
  "disk full for one export": async ({ exports, change, random, file }) => {
    if (!IS_ROOT) return undefined;
    const cache = exports.at("small");
    const filled = join(cache, "filled");
    return onSmallDisk(cache, bytesOf(file) * 3, async () => {
      await exports.run("one", { cache });
      // All of the rest but a little.
      const free = Number(spawnSync("stat", ["-f", "-c", "%a", cache], { encoding: "utf8" }).stdout) * 4096;
      writeFileSync(filled, Buffer.alloc(Math.max(0, free - random.below(300_000))));
      await change();
      const one = await exports.run("one", { cache });
      rmSync(filled);
      return [one, await exports.run("other", { cache }), await exports.run("one", { cache })];
    });
  },
  "read-only cache": async ({ exports, change }) => {
    if (!IS_ROOT) return undefined;
    const cache = exports.at("small");
    return onSmallDisk(cache, 1 << 30, async () => {
      await exports.run("one", { cache });
      spawnSync("mount", ["-o", "remount,ro", cache]);
      const same = await exports.run("one", { cache });
      await change();
      return [await exports.run("one", { cache }), await exports.run("other", { cache })].concat(same.status === 0 ? [] : same);
    });
  },
  "unreadable cache": async ({ exports, change, random }) => {
    await change();
    const cache = exports.at("unreadable");
    await exports.run("one", { cache });
    const folder = random.one([cache, join(cache, "docwright"), join(cache, "docwright", "builds")]);
    const out = exports.at("unprivileged");
    mkdirSync(out);
    if (IS_ROOT) chownSync(out, NOBODY, NOBODY);
    chmodSync(folder, 0);
    const as = IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {};
    try {
      const run = async (name, options) => {
        const ran = await exports.run(name, { cache, out: `unprivileged/${name}`, ...as, ...options });
        if (existsSync(ran.bundle)) cpSync(ran.bundle, exports.at(`${name}.tar.gz`));
        return { ...ran, bundle: exports.at(`${name}.tar.gz`) };
      };
      // Git can refuse the repository of another user, so the other export is of the same user.
      return [{ ...(await run("one")), expected: await run("other", { isCold: true }) }];
    } finally {
      chmodSync(folder, 0o700);
      for (const each of [cache, out]) rmSync(each, { recursive: true, force: true });
    }
  },
};
