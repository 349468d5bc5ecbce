import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { OutboundFailure } from "../../packages/server/src/base/net/outbound.ts";

/** Starts a host that the service calls, until the test ends. */
export async function host(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

export const bounds = { method: "GET", timeoutMs: 5_000, maxBytes: 1_000, privateAddresses: "allow" } as const;

/** Returns how a call failed, or "none". */
export const faultOf = (answer: Promise<unknown>) =>
  answer.then(
    () => "none",
    (error) => (error instanceof OutboundFailure ? error.fault : String(error)),
  );
