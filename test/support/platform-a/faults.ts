import type { ServerResponse } from "node:http";
import { seeded } from "./random.ts";

/** A faulty response that the platform sends in place of its answer. */
type BadAnswer =
  | { kind: "status"; status: number; retryAfter?: string; headers?: Record<string, string> }
  | { kind: "hang" | "reset" | "reset_in_body" | "trickle" | "garbage" | "gzip" }
  | { kind: "huge"; bytes?: number }
  | { kind: "redirect"; to: string };

/** A faulty response, a late answer, or a list whose next page is always the same. */
export type Fault = BadAnswer | { kind: "slow"; ms: number } | { kind: "repeated_page_key" };

const GIBIBYTE = 2 ** 30;

/** The body of a refusal. The service must not show its message. */
const BODY_OF_REFUSAL = (status: number) =>
  JSON.stringify({ status: "error", message: `refused with ${status}: words of the platform` });

/** Creates a queue of faults for the requests that follow. */
export function queueFaults() {
  let queued: { fault: Fault; path: RegExp; left: number }[] = [];
  let drawn: { random: () => number; probability: number; faults: Fault[]; path: RegExp; left: number } | undefined;
  let injected = 0;

  return {
    /** Gives the fault to the next `times` requests whose path matches. */
    next(fault: Fault, { times = 1, path = /^/ }: { times?: number; path?: RegExp } = {}): void {
      queued.push({ fault, path, left: times });
    },
    /** Gives one of the faults, with this probability, to each request whose path matches; at most `limit` in total. */
    drawFrom(faults: Fault[], { seed = 1, probability = 0.1, path = /^/, limit = Infinity } = {}): void {
      drawn = { random: seeded(seed), probability, faults, path, left: limit };
    },
    stop(): void {
      queued = [];
      drawn = undefined;
    },
    /** Returns how many requests got a fault so far. */
    injected: () => injected,
    take(path: string): Fault | undefined {
      const fault = fromQueue(path) ?? byChance(path);
      if (fault !== undefined) injected++;
      return fault;
    },
  };

  function fromQueue(path: string): Fault | undefined {
    const entry = queued.find((entry) => entry.left > 0 && entry.path.test(path));
    if (entry === undefined) return undefined;
    entry.left--;
    return entry.fault;
  }

  function byChance(path: string): Fault | undefined {
    if (drawn === undefined || drawn.left === 0 || !drawn.path.test(path)) return undefined;
    if (drawn.random() >= drawn.probability) return undefined;
    drawn.left--;
    return drawn.faults[Math.floor(drawn.random() * drawn.faults.length)];
  }
}

export function answerBadly(fault: BadAnswer, response: ServerResponse): void {
  const json = { "content-type": "application/json; charset=utf-8" };
  switch (fault.kind) {
    case "status": {
      const headers = {
        ...json,
        ...fault.headers,
        ...(fault.retryAfter !== undefined && { "retry-after": fault.retryAfter }),
      };
      response.writeHead(fault.status, headers).end(BODY_OF_REFUSAL(fault.status));
      return;
    }
    case "redirect":
      response.writeHead(302, { location: fault.to }).end();
      return;
    case "hang":
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "reset_in_body":
      response.writeHead(200, { ...json, "content-length": "1000" }).write('{"items":[');
      setImmediate(() => response.socket?.resetAndDestroy());
      return;
    case "trickle": {
      response.writeHead(200, json);
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
      return;
    }
    case "garbage":
      response.writeHead(200, json).end('{"items":[{"call_id":\u0000<html>');
      return;
    case "gzip":
      response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(Buffer.from([0x1f, 0x8b, 8, 0]));
      return;
    case "huge":
      response.writeHead(200, json);
      stream(response, fault.bytes ?? GIBIBYTE);
      return;
  }
}

/** Sends the bytes as fast as the client reads them, from one small buffer. */
function stream(response: ServerResponse, bytes: number): void {
  const piece = Buffer.alloc(64 * 1024, " ");
  let left = bytes;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= piece.length;
      if (!response.write(piece)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}
