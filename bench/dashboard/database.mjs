// SQLite and PostgreSQL through their own shells, `sqlite3` and `psql`, which insert gigabytes of rows in minutes.

import { spawnSync } from "node:child_process";

/** A database to fill, with the differences between both kinds. */
export class Database {
  /** `place` is a SQLite file, or an address that starts with `postgres://`. */
  constructor(place) {
    this.place = place;
    this.postgres = place.startsWith("postgres://");
  }

  /** Runs statements in order. Returns their output. */
  run(...statements) {
    const before = this.postgres
      ? ["SET session_replication_role = replica", "SET synchronous_commit = off", "SET maintenance_work_mem = '512MB'"]
      : ["PRAGMA journal_mode = OFF", "PRAGMA foreign_keys = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -500000", "PRAGMA temp_store = FILE"];
    const lines = (all) => all.map((statement) => `${statement};\n`).join("");
    // SQLite prints the new value of a pragma.
    const input = this.postgres ? lines(before) + lines(statements) : `.output /dev/null\n${lines(before)}.output\n${lines(statements)}`;
    const [command, words] = this.postgres
      ? ["psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", this.place]]
      : ["sqlite3", ["-bail", "-batch", this.place]];
    const ran = spawnSync(command, words, { input, encoding: "utf8", maxBuffer: 1 << 28 });
    if (ran.status !== 0) throw new Error(`${command}: ${ran.stderr || ran.error}\n${input.slice(0, 2000)}`);
    return ran.stdout.trim();
  }

  /** The rows of a query, each a list of texts. */
  rows(query) {
    const text = this.run(query);
    return text === "" ? [] : text.split("\n").map((line) => line.split("|"));
  }

  /** A table of the numbers from 1 to `count`, named `i`. */
  numbers(count) {
    return this.postgres
      ? `(SELECT generate_series(1::bigint, ${count}::bigint) AS i) AS numbers`
      : `(SELECT value AS i FROM generate_series(1, ${count})) AS numbers`;
  }

  /** A number in hexadecimal with leading zeros. */
  hex(number, width) {
    return this.postgres ? `lpad(to_hex((${number})::bigint), ${width}, '0')` : `printf('%0${width}x', ${number})`;
  }

  /** Drops indexes that `CREATE INDEX` created. Returns the statements that create them again. */
  dropIndexes() {
    const made = this.postgres
      ? this.run("SELECT replace(indexdef, E'\\n', ' ') FROM pg_indexes WHERE schemaname = 'public' AND indexdef NOT LIKE 'CREATE UNIQUE%'")
      : this.run("SELECT replace(sql, char(10), ' ') FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL");
    const statements = made === "" ? [] : made.split("\n");
    this.run(...statements.map((statement) => `DROP INDEX ${/INDEX (\w+) /.exec(statement)[1]}`));
    return statements;
  }
}
