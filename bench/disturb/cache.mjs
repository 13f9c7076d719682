// Disturbances of the cache between two exports.

import { closeSync, copyFileSync, ftruncateSync, mkdirSync, openSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Length of the part of the cache with its version and the places of its indexes. Bytes. */
const HEADER = 128;
/** Length of the bytes that identify the format. The last one is its version. */
const MAGIC = 16;

function patch(file, offset, bytes) {
  const opened = openSync(file, "r+");
  writeSync(opened, bytes, 0, bytes.length, offset);
  closeSync(opened);
}

function cutOff(file, length) {
  const opened = openSync(file, "r+");
  ftruncateSync(opened, length);
  closeSync(opened);
}

const size = (file) => statSync(file).size;
const noise = (random, length) => Buffer.from(Array.from({ length }, () => random.below(256)));

/** Each changes the file of a cache. */
export const CACHE_DISTURBANCES = {
  "cut off": ({ file, random }) => cutOff(file, random.below(size(file))),
  "cut off in the header": ({ file, random }) => cutOff(file, random.below(HEADER)),
  "bits flipped": ({ file, random }) => {
    for (let count = 0; count < 50; count += 1) patch(file, HEADER + random.below(size(file) - HEADER), noise(random, 1));
  },
  "bits of the header flipped": ({ file, random }) => patch(file, MAGIC + random.below(HEADER - MAGIC), noise(random, 1)),
  "blocks of zeros": ({ file, random }) => {
    for (let count = 0; count < 5; count += 1) patch(file, random.below(size(file)) & ~4095, Buffer.alloc(4096));
  },
  "end of zeros": ({ file, random }) => {
    const from = random.below(size(file));
    const length = size(file);
    cutOff(file, from);
    cutOff(file, length);
  },
  "longer": ({ file, random }) => patch(file, size(file), noise(random, 10_000)),
  "other version": ({ file, random }) => patch(file, MAGIC - 1, Buffer.from([2 + random.below(250)])),
  "other program": ({ file, random }) => writeFileSync(file, noise(random, 5_000)),
  empty: ({ file }) => writeFileSync(file, ""),
  "earlier version restored": ({ file, earlier }) => copyFileSync(earlier, file),
  "header of an earlier version": ({ file, earlier }) => patch(file, 0, readFileSync(earlier).subarray(0, HEADER)),
  "folder in its place": ({ file }) => {
    rmSync(file);
    mkdirSync(file);
    return () => rmSync(file, { recursive: true, force: true });
  },
  "dangling link in its place": ({ file }) => {
    rmSync(file);
    symlinkSync("nowhere/at/all", file);
    return () => rmSync(file, { force: true });
  },
  "temporary file in the way": ({ file, random }) => {
    mkdirSync(`${file}.new`);
    patch(file, 0, noise(random, MAGIC));
    return () => rmSync(`${file}.new`, { recursive: true, force: true });
  },
  "file in the place of the folder": ({ file }) => {
    rmSync(dirname(file), { recursive: true });
    writeFileSync(dirname(file), "a file");
    return () => rmSync(dirname(file));
  },
};
