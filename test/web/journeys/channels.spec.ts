import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ChannelCall, sendChannelCalls } from "../../support/channel-calls.ts";
import { traceIdOf } from "../../support/ingest.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { isShown, openContext, openPage } from "../support/browsing.ts";
import { startEmpty } from "../support/seed.ts";

const DAY_MS = 86_400_000;
/** The last whole day that may be judged at the service's clock, which stands still in the middle of the day after it. */
const WINDOW_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;

const calls = (first: number, count: number, channel: ChannelCall["channel"], latencyMs: number): ChannelCall[] =>
  Array.from({ length: count }, (_, n) => ({
    trace: first + n,
    channel,
    startMs: WINDOW_MS + n * 60_000,
    latencyMs: [latencyMs],
  }));

describeInBrowser("channels", (open) => {
  let server: TestServer;
  let context: BrowserContext;
  let home: string;
  beforeAll(async () => {
    vi.useFakeTimers({ now: WINDOW_MS + 1.5 * DAY_MS, toFake: ["Date"] });
    server = await startEmpty();
    await sendChannelCalls(server, server.client, [
      ...calls(1, 25, "telephone", 2_400),
      ...calls(30, 1, null, 400),
      ...calls(40, 600, "room", 300),
    ]);
    const { organization } = await server.admin.organization.get();
    home = `/o/${organization.id}/p/${server.project.slug}`;
    context = await openContext(open.browser, server.url);
  });
  afterAll(async () => {
    await context?.close();
    await server?.stop();
    vi.useRealTimers();
  });

  test("a rule is limited to a channel on its page, and its alert shows the conversations over it", async () => {
    const { page, errors } = await openPage(context, `${home}/alerts/rules/new`);
    await page.getByLabel("In a window of").selectOption("1 day");
    const verdict = page.getByRole("region", { name: "Preview" }).getByRole("status").first();
    await verdict.getByText("it would have raised no alert.").waitFor();
    await page.getByRole("combobox", { name: "Channels" }).click();
    const options = page.getByRole("listbox").getByRole("option");
    expect(await options.allInnerTexts()).toEqual(["telephone", "room", "text"]);
    await options.first().click();
    await verdict.getByText("it would have raised 1 alert").waitFor();
    await page.getByLabel("Name").fill("Calls are slow");
    await page.getByRole("button", { name: "Create rule" }).click();
    const alert = await until("the alert", async () => (await server.client.alerts.list({})).alerts[0]);
    expect(alert).toMatchObject({ ruleName: "Calls are slow", value: 2_400, samples: 25 });
    await page.goto(`${server.url}${home}/alerts/${alert.id}`);
    await page.getByRole("table", { name: "Conversations of the alert" }).getByRole("row").nth(5).waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await page.waitForURL(`**/conversations?*alert=${alert.id}*`);
    await isShown(page);
    expect(await page.locator("tbody tr").count()).toBe(25);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the list and the metrics filter by a channel, and a conversation shows its channel or that it is unknown", async () => {
    const { page, errors } = await openPage(context, `${home}/conversations?channel=telephone`);
    await page.getByRole("button", { name: /Channel.*telephone/ }).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(25);
    const factOf = async (trace: number) => {
      await page.goto(`${server.url}${home}/conversations/${traceIdOf(trace)}`);
      const fact = page.locator("dl > div", { has: page.getByText("Channel", { exact: true }) });
      await fact.waitFor();
      return fact.locator("dd").innerText();
    };
    expect([await factOf(1), await factOf(30), await factOf(40)]).toEqual(["telephone", "unknown", "room"]);
    await page.goto(`${server.url}${home}/metrics?channel=telephone`);
    await page.getByText("2.40 s").first().waitFor();
    await page.goto(`${server.url}${home}/metrics?channel=text`);
    await page.getByText("Measures appear when conversations arrive over the channel text").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});
