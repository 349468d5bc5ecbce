import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../packages/worker-helper/src/settings.ts";
import { newSecret } from "../support/secret.ts";

const apiKey = newSecret();
const url = "https://svc.example.com";

test("options take precedence over the environment", () => {
  const environment = { SVC_URL: `${url}\n`, SVC_API_KEY: ` ${apiKey}\n` };
  expect(readSettings({}, environment)).toMatchObject({ tracesUrl: `${url}/v1/traces`, apiKey });
  expect(readSettings({ url: "https://other.example.com" }, environment).tracesUrl).toBe(
    "https://other.example.com/v1/traces",
  );
});

test("the settings contain the simulation for which the process was started", () => {
  const environment = { SVC_URL: url, SVC_API_KEY: apiKey, SVC_SIMULATION_ID: "sim_06ft2v8xk3n9q4w7r1y5z0abcd\n" };
  expect(readSettings({}, environment).simulationId).toBe("sim_06ft2v8xk3n9q4w7r1y5z0abcd");
  expect(readSettings({ url, apiKey }, {}).simulationId).toBeUndefined();
  const attempts = ["2", " 12\n", undefined, "", "x", "-1", "2.5"];
  expect(
    attempts.map((text) => readSettings({}, { ...environment, SVC_SIMULATION_ATTEMPT: text }).simulationAttempt),
  ).toEqual([2, 12, undefined, undefined, undefined, undefined, undefined]);
});

test("the settings have the simulation's mock tools and the address that answers them", () => {
  const environment = { SVC_URL: `${url}/svc/`, SVC_API_KEY: apiKey, SVC_SIMULATION_ID: "sim_1" };
  const tools = JSON.stringify({ names: ["book"], token: "t" });
  expect(readSettings({}, { ...environment, SVC_SIMULATION_TOOLS: tools }).mockTools).toEqual({
    names: ["book"],
    token: "t",
    toolsUrl: `${url}/svc/v1/simulations/sim_1/tools/`,
  });
  expect(readSettings({}, environment).mockTools).toBeUndefined();
  for (const wrong of ["book", "{}", "null", '{"names":"book","token":"t"}', '{"names":["book"]}'])
    expect(() => readSettings({}, { ...environment, SVC_SIMULATION_TOOLS: wrong })).toThrow(/unset it/);
});

test.each([
  ["https://svc.example.com/", "https://svc.example.com/v1/traces"],
  ["https://example.com/svc/", "https://example.com/svc/v1/traces"],
  ["http://localhost:3100", "http://localhost:3100/v1/traces"],
  ["http://127.0.0.1:3100", "http://127.0.0.1:3100/v1/traces"],
  ["http://[::1]:3100", "http://[::1]:3100/v1/traces"],
])("the address %s is accepted", (address, tracesUrl) => {
  expect(readSettings({ url: address, apiKey }, {}).tracesUrl).toBe(tracesUrl);
});

test.each([
  ["a missing address", { apiKey }, /SVC_URL is not set: set it/],
  ["a blank address", { apiKey, url: " " }, /SVC_URL is not set/],
  ["an address without a scheme", { apiKey, url: "svc.example.com" }, /SVC_URL is not an http address/],
  ["an address with another scheme", { apiKey, url: "ftp://svc.example.com" }, /SVC_URL is not an http address/],
  ["an address with a password", { apiKey, url: "https://me:pass@svc.example.com" }, /remove the user/],
  ["an address with a query", { apiKey, url: "https://svc.example.com?a=1" }, /remove the user, password, query/],
  [
    "an address with the path of the endpoint",
    { apiKey, url: "https://svc.example.com/v1/traces" },
    /remove \/v1\/traces/,
  ],
  ["plain http to another host", { apiKey, url: "http://svc.example.com" }, /use https, or set allowInsecure/],
  [
    "plain http to a host whose name starts like a loopback address",
    { apiKey, url: "http://127.0.0.1.example.com" },
    /use https/,
  ],
  ["a missing key", { url }, /SVC_API_KEY is not set/],
  ["an incomplete key", { url, apiKey: apiKey.slice(0, 20) }, /SVC_API_KEY is not a complete key/],
  ["a key of another product", { url, apiKey: `sk-${"a".repeat(48)}` }, /SVC_API_KEY is not a complete key/],
  [
    "a shutdown time above the limit",
    { url, apiKey, shutdownTimeoutMs: 60_000 },
    /shutdownTimeoutMs must be 0 to 50000/,
  ],
  ["a shutdown time that is not a number", { url, apiKey, shutdownTimeoutMs: Number.NaN }, /shutdownTimeoutMs must be/],
])("%s is refused with the remedy", (_name, options, message) => {
  expect(() => readSettings(options, {})).toThrow(message);
});

test("plain http to another host is accepted with allowInsecure", () => {
  expect(readSettings({ url: "http://svc:3100", apiKey, allowInsecure: true }, {}).tracesUrl).toBe(
    "http://svc:3100/v1/traces",
  );
});

test("no error message repeats a value of a setting", () => {
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

describe("the metadata of a dispatch", () => {
  const simulationId = "sim_06ft2v8xk3n9q4w7r1y5z0abcd";
  const environment = { SVC_URL: url, SVC_API_KEY: apiKey };
  const svc = { simulationId, attempt: 2, tools: { names: ["book"], token: "t" } };
  const dispatched = (metadata: unknown, more = {}) =>
    readSettings({}, { ...environment, ...more }, typeof metadata === "string" ? metadata : JSON.stringify(metadata));

  test("the metadata of a dispatch names the simulation, its attempt and its mock tools, beside the members of the customer", () => {
    expect(dispatched({ tenant: "a", svc })).toMatchObject({
      simulationId,
      simulationAttempt: 2,
      mockTools: { names: ["book"], token: "t", toolsUrl: `${url}/v1/simulations/${simulationId}/tools/` },
    });
  });

  test.each(["", "tenant a", "[]", "null", '{"svc":1}', '{"svc":{"simulationId":"../../x"}}', '{"svc":{"tools":{}}}'])(
    "the metadata of a dispatch is ignored when it is a customer's: %s",
    (metadata) => {
      expect(dispatched(metadata)).toMatchObject({ simulationId: undefined, mockTools: undefined });
    },
  );

  test("the metadata of a dispatch yields to the simulation that started the process", () => {
    expect(dispatched({ svc }, { SVC_SIMULATION_ID: "sim_1" })).toMatchObject({
      simulationId: "sim_1",
      mockTools: undefined,
    });
  });
});
