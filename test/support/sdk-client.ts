import type { ServerResponse } from "node:http";
import { type ClientOptions, createClient, SvcError } from "@svc/sdk";
import { expect, onTestFinished } from "vitest";
import { openFakeService, type Received } from "./fake-service.ts";

export const KEY = `svc_sk_${"k".repeat(43)}`;

/** Starts a service with the spec's answers, until the test ends, and returns it with a client. */
export async function openFakeClient(
  answer: (asked: Received, response: ServerResponse) => void,
  options: Partial<ClientOptions> = {},
) {
  const service = await openFakeService(answer);
  onTestFinished(service.close);
  return { ...service, client: createClient({ baseUrl: service.url, apiKey: KEY, retries: 0, ...options }) };
}

/** Returns the error with which a call of the client fails. */
export const failureOf = async (call: Promise<unknown>): Promise<SvcError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SvcError);
  return error as SvcError;
};
