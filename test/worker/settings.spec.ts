import fc from "fast-check";
import { expect, test } from "vitest";
import { readSettings } from "../../packages/worker-helper/src/settings.ts";
import { newSecret } from "../support/secret.ts";

const apiKey = newSecret();
const url = "https://svc.example.com";

test("the environment serves, and options go before it", () => {
  const environment = { SVC_URL: `${url}\n`, SVC_API_KEY: ` ${apiKey}\n` };
  expect(readSettings({}, environment)).toMatchObject({ tracesUrl: `${url}/v1/traces`, apiKey });
  expect(readSettings({ url: "https://other.example.com" }, environment).tracesUrl).toBe(
    "https://other.example.com/v1/traces",
  );
});

test("a process that was started for a simulation knows which one", () => {
  const environment = { SVC_URL: url, SVC_API_KEY: apiKey, SVC_SIMULATION_ID: "sim_06ft2v8xk3n9q4w7r1y5z0abcd\n" };
  expect(readSettings({}, environment).simulationId).toBe("sim_06ft2v8xk3n9q4w7r1y5z0abcd");
  expect(readSettings({ url, apiKey }, {}).simulationId).toBeUndefined();
});

test("… and what it mocks, where to ask for it", () => {
  const environment = { SVC_URL: `${url}/svc/`, SVC_API_KEY: apiKey, SVC_SIMULATION_ID: "sim_1" };
  const tools = JSON.stringify({ names: ["book"], token: "t" });
  expect(readSettings({}, { ...environment, SVC_SIMULATION_TOOLS: tools }).mockedTools).toEqual({
    names: ["book"],
    token: "t",
    toolsUrl: `${url}/svc/v1/simulations/sim_1/tools/`,
  });
  expect(readSettings({}, environment).mockedTools).toBeUndefined();
  for (const wrong of ["book", "{}", "null", '{"names":"book","token":"t"}', '{"names":["book"]}'])
    expect(() => readSettings({}, { ...environment, SVC_SIMULATION_TOOLS: wrong })).toThrow(/take it out/);
});

test.each([
  ["https://svc.example.com/", "https://svc.example.com/v1/traces"],
  ["https://example.com/svc/", "https://example.com/svc/v1/traces"],
  ["http://localhost:3100", "http://localhost:3100/v1/traces"],
  ["http://127.0.0.1:3100", "http://127.0.0.1:3100/v1/traces"],
  ["http://[::1]:3100", "http://[::1]:3100/v1/traces"],
])("%s is taken", (given, tracesUrl) => {
  expect(readSettings({ url: given, apiKey }, {}).tracesUrl).toBe(tracesUrl);
});

test.each([
  ["no address", { apiKey }, /SVC_URL is not set: set it/],
  ["a blank address", { apiKey, url: " " }, /SVC_URL is not set/],
  ["no scheme", { apiKey, url: "svc.example.com" }, /SVC_URL is not an http address/],
  ["another scheme", { apiKey, url: "ftp://svc.example.com" }, /SVC_URL is not an http address/],
  ["a password in the address", { apiKey, url: "https://me:pass@svc.example.com" }, /take out the user/],
  ["a query", { apiKey, url: "https://svc.example.com?a=1" }, /take out the user, password, query/],
  ["the whole path", { apiKey, url: "https://svc.example.com/v1/traces" }, /take off \/v1\/traces/],
  ["plain http to another host", { apiKey, url: "http://svc.example.com" }, /use https, or set allowInsecure/],
  ["a host that only begins like this one", { apiKey, url: "http://127.0.0.1.example.com" }, /use https/],
  ["no key", { url }, /SVC_API_KEY is not set/],
  ["half a key", { url, apiKey: apiKey.slice(0, 20) }, /SVC_API_KEY is not a whole key/],
  ["another product's key", { url, apiKey: `sk-${"a".repeat(48)}` }, /SVC_API_KEY is not a whole key/],
  ["an endless shutdown", { url, apiKey, shutdownTimeoutMs: 60_000 }, /shutdownTimeoutMs must be 0 to 50000/],
  ["no number", { url, apiKey, shutdownTimeoutMs: Number.NaN }, /shutdownTimeoutMs must be/],
])("%s is refused with the mend", (_name, options, message) => {
  expect(() => readSettings(options, {})).toThrow(message);
});

test("plain http to another host is taken when it is allowed", () => {
  expect(readSettings({ url: "http://svc:3100", apiKey, allowInsecure: true }, {}).tracesUrl).toBe(
    "http://svc:3100/v1/traces",
  );
});

test("no refusal repeats a value, in whichever variable it was put", () => {
  const value = fc.oneof(fc.constant(apiKey), fc.string({ minLength: 12 }), fc.webUrl());
  fc.assert(
    fc.property(value, value, (first, second) => {
      try {
        readSettings({ url: first, apiKey: second }, {});
      } catch (error) {
        expect((error as Error).message).not.toContain(first);
        expect((error as Error).message).not.toContain(second);
        expect((error as Error).message).not.toContain(apiKey);
      }
    }),
  );
});
