// Requests over HTTP/1.1 connections that stay open: as many as are waiting for a response at the same time. It costs
// less than a client of Node.js, so the tool itself delays little.

import { connect } from "node:net";

/** More connections than this mean that the service doesn't keep up. Further requests wait. */
const MOST = 1000;

export class Connections {
  constructor(base) {
    Object.assign(this, { base, idle: [], all: new Set(), waiting: [] });
  }

  /** Sends the bytes of a request. Returns the status of its response when all of it arrived; 0 if it broke off. */
  send(request) {
    return new Promise((resolve) => {
      const sent = { request, resolve };
      const connection = this.idle.pop() ?? (this.all.size < MOST ? new Connection(this) : undefined);
      if (connection) connection.send(sent);
      else this.waiting.push(sent);
    });
  }

  /** A connection has no request. */
  free(connection) {
    const next = this.waiting.shift();
    if (next) connection.send(next);
    else this.idle.push(connection);
  }

  close() {
    for (const connection of this.all) connection.socket.destroy();
  }
}

class Connection {
  constructor(pool) {
    Object.assign(this, { pool, sent: undefined, head: "", rest: 0, status: 0 });
    pool.all.add(this);
    this.socket = connect({ host: pool.base.hostname, port: Number(pool.base.port), noDelay: true });
    this.socket.on("data", (bytes) => this.receive(bytes));
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      pool.all.delete(this);
      pool.idle = pool.idle.filter((each) => each !== this);
      this.sent?.resolve(0);
    });
  }

  send(sent) {
    Object.assign(this, { sent, head: "", rest: -1 });
    this.socket.write(sent.request);
  }

  receive(bytes) {
    if (this.rest < 0) {
      this.head += bytes.latin1Slice();
      const end = this.head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const body = this.head.length - end - 4;
      this.status = Number(this.head.slice(9, 12));
      const length = /\r\ncontent-length: (\d+)/i.exec(this.head.slice(0, end));
      if (!length && this.status !== 204 && this.status !== 304) throw new Error(`a response without length: ${this.head.slice(0, end)}`);
      this.rest = Number(length?.[1] ?? 0) - body;
    } else {
      this.rest -= bytes.length;
    }
    if (this.rest > 0) return;
    const { sent } = this;
    this.sent = undefined;
    sent.resolve(this.status);
    this.pool.free(this);
  }
}
