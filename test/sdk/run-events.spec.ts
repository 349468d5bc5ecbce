import type { ServerResponse } from "node:http";
import type { RunEvent } from "@svc/contract";
import { createClient, followRun, type FollowOptions } from "@svc/sdk";
import { afterEach, describe, expect, test } from "vitest";
import { answerJson, openFakeService, type Received } from "../support/fake-service.ts";
import { unknownId } from "../support/world.ts";

const RUN = unknownId("run");
const eventsFrom = (after: number, count: number): RunEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    seq: after + index + 1,
    at: "2026-11-21T09:30:00.000Z",
    kind: "run",
    status: "running",
  }));

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

async function fake(answer: (asked: Received, response: ServerResponse, n: number) => void) {
  let asked = 0;
  const service = await openFakeService((request, response) => answer(request, response, asked++));
  close = service.close;
  const client = createClient({ baseUrl: service.url, apiKey: `svc_sk_${"k".repeat(43)}`, retries: 0 });
  return { ...service, follow: (options?: FollowOptions) => followRun(client, RUN, options) };
}

const afterOf = ({ url }: Received) => Number(new URL(url, "http://svc").searchParams.get("after"));

describe("followRun", () => {
  test("followRun yields each event once, even after a lost connection and a 503, and ends with the run", async () => {
    const { follow, received } = await fake((request, response, n) => {
      if (n === 1) return void response.socket!.destroy();
      if (n === 2) return answerJson(response, 503, { error: "unavailable", message: "Stopping." });
      const after = afterOf(request);
      const events = eventsFrom(after, 2);
      answerJson(response, 200, { events, next: after + 2, caughtUp: true, done: after === 4 });
    });
    const seqs: number[] = [];
    for await (const { seq } of follow()) seqs.push(seq);
    expect(seqs).toEqual([1, 2, 3, 4, 5, 6]);
    expect(received.map(afterOf)).toEqual([0, 2, 2, 2, 4]);
    expect(received.every(({ url }) => url.includes("wait=20"))).toBe(true);
  });

  test("followRun starts after the event number in `after`", async () => {
    const { follow, received } = await fake((request, response) =>
      answerJson(response, 200, { events: eventsFrom(afterOf(request), 1), next: 8, caughtUp: true, done: true }),
    );
    const seqs: number[] = [];
    for await (const { seq } of follow({ after: 7, projectId: "Default" })) seqs.push(seq);
    expect(seqs).toEqual([8]);
    expect(received[0]!.url).toContain("projectId=Default");
  });

  test("followRun rejects at once with a permanent error, and after patienceMs with a temporary one", async () => {
    const { follow, received } = await fake((_, response, n) =>
      n === 0
        ? answerJson(response, 404, { error: "not_found", message: "No such run." })
        : answerJson(response, 503, { error: "unavailable", message: "Stopping." }),
    );
    await expect(follow().next()).rejects.toMatchObject({ code: "not_found" });
    expect(received).toHaveLength(1);
    await expect(follow({ patienceMs: 300 }).next()).rejects.toMatchObject({ code: "unavailable" });
    expect(received).toHaveLength(3);
  });

  test("followRun rejects with the signal's reason when the signal aborts", async () => {
    const stop = new AbortController();
    const { follow } = await fake(() => stop.abort(new Error("enough")));
    await expect(follow({ signal: stop.signal }).next()).rejects.toThrow("enough");
  });
});
