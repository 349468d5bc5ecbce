import type { BrowserContext, Page, Request } from "playwright-core";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { liveKitRequest } from "../../support/livekit-request.ts";
import { encodeProtobuf } from "../../support/otlp.ts";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { startEmpty } from "../support/seed.ts";

/** Longer than the interval after which a visible page requests new conversations, even without an event. */
const HIDDEN_MS = 12_000;

describeInBrowser("a list that is open while calls arrive", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let list: string;
  beforeAll(async () => {
    service = await startEmpty();
    const { organization } = await service.admin.organization.get();
    list = `/o/${organization.id}/p/${service.project.slug}/conversations`;
    context = await openContext(open.browser, service.url);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
  });

  /** Sends one conversation, and returns its id. */
  async function send(seed: number): Promise<string> {
    const request = liveKitRequest(seed, { spans: 20, conversations: 1, startMs: Date.now() - 60_000 });
    await service.client.traces.ingest({ body: encodeProtobuf(request), contentType: "application/x-protobuf" });
    return request.resourceSpans![0]!.scopeSpans![0]!.spans![0]!.traceId!;
  }

  const rowOf = (page: Page, traceId: string) => page.locator(`tbody a[href*="${traceId}"]`).first();

  /** Hides the page as a switch to another browser tab does, or shows it again. */
  const setVisibility = (page: Page, state: "hidden" | "visible") =>
    page.evaluate(
      `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
       document.dispatchEvent(new Event("visibilitychange"));`,
    );

  test("a list that is open while calls arrive shows each new conversation without a reload, asks for nothing while it is hidden, and then catches up", async () => {
    const first = await send(1);
    await service.conversationsRead();
    const { page, errors } = await openPage(context, list);
    await rowOf(page, first).waitFor();
    await rowOf(page, await send(2)).waitFor();

    const streams = new Set<Request>();
    const questions: string[] = [];
    page.on("request", (request) => {
      if (new URL(request.url()).pathname.endsWith("/changes")) streams.add(request);
      else questions.push(request.url());
    });
    const stopped = page.waitForEvent("requestfailed", (request) => request.url().includes("/changes"));
    await setVisibility(page, "hidden");
    await stopped;
    questions.length = 0;
    const third = await send(3);
    await delay(HIDDEN_MS);
    expect([questions, streams.size]).toEqual([[], 0]);
    expect(await rowOf(page, third).count()).toBe(0);

    await setVisibility(page, "visible");
    await rowOf(page, third).waitFor();
    await rowOf(page, await send(4)).waitFor();
    expect(streams.size).toBe(1);
    expect(errors).toEqual([]);
  });
});
