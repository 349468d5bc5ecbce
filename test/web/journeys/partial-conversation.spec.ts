import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { IS_LONG } from "../../support/long-form.ts";
import { liveKitRequest } from "../../support/livekit-request.ts";
import { encodeProtobuf } from "../../support/otlp.ts";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { addInspection, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";

const SPANS = 10_050;
/**
 * The short form sends only this many spans, and changes the number in the answer to that of all spans. test/traces/store.spec.ts
 * stores all of them.
 */
const SENT = IS_LONG ? SPANS : 400;
const SPANS_PER_BODY = 5_025;

describeInBrowser("a conversation that a page does not hold whole", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let list: string;
  beforeAll(async () => {
    service = await startEmpty();
    const { organization } = await service.admin.organization.get();
    list = `/o/${organization.id}/p/${service.project.slug}/conversations`;
    context = await openContext(open.browser, service.url);
    await addInspection(context);
  });
  // Vitest runs these hooks in reverse order, each with its own time limit.
  afterAll(() => service.stop());
  afterAll(() => context.close());

  /** Sends one conversation with that number of spans, and returns its id. */
  async function send(seed: number, count: number): Promise<string> {
    const whole = liveKitRequest(seed, { spans: count, conversations: 1, startMs: Date.now() - 3_600_000 });
    const [resource] = whole.resourceSpans!;
    const [scope] = resource!.scopeSpans!;
    const spans = scope!.spans!;
    for (let first = 0; first < count; first += SPANS_PER_BODY) {
      const scopeSpans = [{ ...scope, spans: spans.slice(first, first + SPANS_PER_BODY) }];
      const body = encodeProtobuf({ resourceSpans: [{ ...resource, scopeSpans }] });
      await service.client.traces.ingest({ body, contentType: "application/x-protobuf" });
    }
    await service.conversationsRead();
    return spans[0]!.traceId!;
  }

  test("a conversation that a page does not hold whole says how many spans it has and how many the page holds", async () => {
    const traceId = await send(3, SENT);
    const { page, errors } = await openPage(context, list);
    if (!IS_LONG) {
      const trace = await service.client.traces.get({ traceId });
      const truncated = { ...trace, spanCount: SPANS, spansTruncated: true };
      await page.route(`**/traces/${traceId}*`, (route) => route.fulfill({ json: truncated }));
    }
    await page.goto(`${list}/${traceId}`);
    const held = IS_LONG ? "10,000" : String(SENT);
    const words = `The conversation has 10,050 spans, and this page holds the first ${held}.`;
    await page.locator("main").getByText(words).waitFor();
    if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/truncated.png" });
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect([...(await violationsOf(page)), ...(await sidewaysScrollOf(page))]).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the page of a conversation with lost spans says how many the damaged storage lost, and that measures are unknown", async () => {
    const traceId = await send(4, 40);
    const trace = await service.client.traces.get({ traceId });
    const damaged = { ...trace, quality: { ...trace.quality, spansWithoutContent: 3 } };
    const empty = await openPage(context, list);
    const { page, errors } = empty;
    await page.route(`**/traces/${traceId}*`, (route) => route.fulfill({ json: damaged }));
    await page.goto(`${list}/${traceId}`);
    await page.locator("main").getByText("3 spans could not be read").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a conversation that a page does not hold whole is deleted after a dialog that Escape leaves, and its address then leads back to the list", async () => {
    const traceId = await send(5, 40);
    const { page, errors } = await openPage(context, `${list}/${traceId}`);
    const ask = async () => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Delete the conversation" }).click();
      return page.getByRole("dialog", { name: "Delete the conversation?" });
    };
    const dialog = await ask();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await service.client.traces.get({ traceId });
    await (await ask()).getByRole("button", { name: "Delete the conversation" }).click();
    await page.waitForURL((url) => url.pathname.endsWith("/conversations"));
    await page.locator("tbody tr").first().waitFor();
    await page.locator(`a[href*="${traceId}"]`).waitFor({ state: "detached" });
    await expect(service.client.traces.get({ traceId })).rejects.toMatchObject({ status: 404 });
    await page.goto(`${list}/${traceId}`);
    await page
      .locator("main")
      .getByRole("link", { name: /conversations/i })
      .first()
      .click();
    await page.waitForURL((url) => url.pathname.endsWith("/conversations"));
    expect(errors).toEqual([]);
    await page.close();
  });
});
