import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Body } from "./distinct-bodies.ts";

/** A server that accepts OTLP over HTTP. Other programs than the service accept spans without a key. */
export type Target = { url: string; key?: string };

/** Sends all bodies. Each connection sends its next body after the answer to the one before. Returns the time of each answer. */
export async function sendBodies(target: Target, bodies: Body[], connections: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const acksMs: number[] = [];
  const queue = bodies.values();
  const connection = async () => {
    for (const body of queue) {
      const sentAt = performance.now();
      await send(agent, target, body);
      acksMs.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  agent.destroy();
  return acksMs;
}

/** Sends a body, and repeats it after each 503, as an exporter does. */
async function send(agent: Agent, target: Target, body: Body): Promise<void> {
  for (;;) {
    const { status, retryAfter } = await post(agent, target, body.gzip);
    if (status === 200) return;
    if (status !== 503) throw new Error(`HTTP ${status}`);
    await delay(retryAfter * 1000);
  }
}

export function post(
  agent: Agent,
  { url, key }: Target,
  gzip: Buffer,
): Promise<{ status: number; retryAfter: number }> {
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    "content-type": "application/x-protobuf",
    "content-encoding": "gzip",
    "content-length": gzip.length,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/traces`, { method: "POST", agent, headers }, (response) => {
      response.resume();
      const retryAfter = Number(response.headers["retry-after"] ?? 1);
      response.on("end", () => resolve({ status: response.statusCode!, retryAfter }));
    });
    sent.on("error", reject);
    sent.end(gzip);
  });
}

export const spansIn = (bodies: Body[]): number => bodies.reduce((sum, { spans }) => sum + spans, 0);
