import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spanOf, traceIdOf } from "../../support/ingest.ts";
import { attribute, type OtlpSpan } from "../../support/otlp.ts";
import { sendSpans } from "../../support/production.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { startEmpty } from "../support/seed.ts";

const TURNS = 500;
const SLOWEST = 357;
const NAMED = 411;
const START_MS = Date.UTC(2026, 10, 21, 9);

/** Returns the spans of a long call in which each turn takes a second, except one slow answer. */
function longCall(): OtlpSpan[] {
  const job = attribute("lk.job_id", "long call");
  return Array.from({ length: TURNS }, (_, index) => {
    const startMs = START_MS + index * 1_000;
    const isCaller = index % 2 === 0;
    return spanOf(1, index + 1, {
      name: isCaller ? "user_turn" : "agent_turn",
      startTimeUnixNano: `${startMs}000000`,
      endTimeUnixNano: `${startMs + 900}000000`,
      attributes: isCaller
        ? [job, attribute("lk.user_transcript", `Question ${index}`)]
        : [
            job,
            attribute("lk.response.text", `Answer ${index}`),
            attribute("lk.e2e_latency", index === SLOWEST ? 4.5 : 0.5),
          ],
    });
  });
}

describeInBrowser("a long conversation", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let list: string;
  beforeAll(async () => {
    service = await startEmpty();
    await sendSpans(service, service.client, longCall());
    const { organization } = await service.admin.organization.get();
    list = `/o/${organization.id}/p/${service.project.slug}/conversations`;
    context = await openContext(open.browser, service.url);
  });
  afterAll(() => service.stop());
  afterAll(() => context.close());

  /** Returns where the row of a turn is on the screen: 0 is the top and 1 the bottom. Returns undefined when the page has no such row. */
  const placeOf = async (page: Page, turn: number): Promise<number | undefined> => {
    const box = await page.locator(`[data-row="turn ${turn}"]`).boundingBox({ timeout: 5_000 });
    return box === null ? undefined : box.y / page.viewportSize()!.height;
  };

  test.each([
    ["the slowest turn of a long conversation is in the middle of the screen when the page opens", "", SLOWEST],
    ["the turn that an address names is in the middle of the screen", `?turn=${NAMED}`, NAMED],
  ])("%s", async (_, query, turn) => {
    const { page, errors } = await openPage(context, `${list}/${traceIdOf(1)}${query}`);
    await page.getByRole("treegrid").waitFor();
    await until("the row is in the middle", async () => {
      const place = await placeOf(page, turn);
      return place !== undefined && place > 0.2 && place < 0.8;
    });
    expect(await page.locator('[role=row][aria-selected="true"]').getAttribute("data-row")).toBe(`turn ${turn}`);
    await page.getByText(`turn ${turn}`, { exact: true }).first().waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});
