import { expect, test } from "vitest";
import { ExportTraceServiceResponse } from "../../packages/server/src/traces/otlp/trace-proto.ts";
import { apiKey, deliveryTo, expectBalanced, namesIn, receiver, startWithLimit } from "../support/worker-delivery.ts";

test("a span that is too large for the service is given up, and the others arrive", async () => {
  const { url, taken } = await startWithLimit(3_000);
  const { add, delivery, counters, warnings } = deliveryTo(url);
  add("small");
  add("large", "x".repeat(5_000));
  add("small too");
  expect(await delivery.flush(60_000)).toBe(true);
  expect(namesIn(taken)).toEqual(["small", "small too"]);
  expect(counters).toMatchObject({ delivered: 2, refused: 1 });
  expect(warnings).toEqual([expect.stringMatching(/too large.*raise the limit/)]);
});

test.each([
  [401, /set SVC_API_KEY to a key that is valid/],
  [403, /set SVC_API_KEY to a project-scoped key/],
])("after HTTP %i no span is sent, and a warning names the wrong variable without the key", async (status, remedy) => {
  const { url, received } = await receiver(() => ({ status }));
  const { addSome, delivery, counters, warnings } = deliveryTo(url);
  addSome(300);
  expect(await delivery.flush(60_000)).toBe(true);
  addSome(10);
  await delivery.flush(500);
  expect(received).toHaveLength(1);
  expect(counters).toMatchObject({ delivered: 0, waiting: 0, waitingBytes: 0, recorded: 310 });
  expectBalanced(counters);
  expect(warnings).toEqual([expect.stringMatching(remedy)]);
  expect(warnings.join()).not.toContain(apiKey);
});

test("a key that expires within ten days is a warning, once, and its spans arrive", async () => {
  let secondsLeft = 11 * 86_400;
  const { url, received } = await receiver(() => ({
    status: 200,
    headers: { "svc-key-expires-in": String(secondsLeft) },
  }));
  const { addSome, delivery, counters, warnings } = deliveryTo(url);
  for (const left of [secondsLeft, 3 * 86_400, 3 * 86_400 - 60]) {
    secondsLeft = left;
    addSome(5);
    expect(await delivery.flush(60_000)).toBe(true);
  }
  expect(received).toHaveLength(3);
  expect(counters).toMatchObject({ delivered: 15, refused: 0 });
  expect(warnings).toEqual([expect.stringMatching(/expires in 3 days: create another one/)]);
});

test.each([
  ["HTTP 400", { status: 400 }, /check that SVC_URL/],
  ["HTTP 404", { status: 404 }, /check that SVC_URL/],
  [
    "a web page",
    { status: 200, headers: { "content-type": "text/html" }, body: "<html>" },
    /set SVC_URL to the service's API/,
  ],
])(
  "%s is reported once with the remedy, and its spans count as refused and are not sent again",
  async (_name, answer, remedy) => {
    const { url, received } = await receiver(() => answer);
    const { addSome, delivery, counters, warnings } = deliveryTo(url);
    addSome(5);
    await delivery.flush(60_000);
    addSome(5);
    await delivery.flush(60_000);
    expect(received).toHaveLength(2);
    expect(counters).toMatchObject({ delivered: 0, refused: 10, waiting: 0 });
    expect(warnings).toEqual([expect.stringMatching(remedy)]);
  },
);

test.each([301, 302, 307, 308])(
  "a redirect (HTTP %i) is not followed, so that no other address gets the key",
  async (status) => {
    const elsewhere = await receiver();
    const { url } = await receiver(() => ({ status, headers: { location: `${elsewhere.url}/v1/traces` } }));
    const { addSome, delivery, counters, warnings } = deliveryTo(url);
    addSome(1);
    await delivery.flush(60_000);
    expect(elsewhere.received).toEqual([]);
    expect(counters).toMatchObject({ refused: 1, delivered: 0 });
    expect(warnings).toEqual([expect.stringMatching(/redirects.*set SVC_URL to the final address/)]);
  },
);

test("single spans that the service refuses from an accepted body are counted as refused, with the reason", async () => {
  const response = { partialSuccess: { rejectedSpans: 2, errorMessage: "2 without a name" } };
  const body = Buffer.from(ExportTraceServiceResponse.encode(response).finish());
  const { url } = await receiver(() => ({ status: 200, headers: { "content-type": "application/x-protobuf" }, body }));
  const { addSome, delivery, counters } = deliveryTo(url);
  addSome(5);
  await delivery.flush(60_000);
  expect(counters).toMatchObject({
    delivered: 3,
    refused: 2,
    lastProblem: expect.stringContaining("2 without a name"),
  });
});
