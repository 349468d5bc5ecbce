import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { answeredCall, sendSpans } from "../../support/production.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { isShown, openContext, openPage } from "../support/browsing.ts";
import { tabTo } from "../support/keyboard.ts";
import { startEmpty } from "../support/seed.ts";

const DAY_MS = 86_400_000;
/** The last whole day that the service may check. The clock of the service stands still in the middle of a later day. */
const WINDOW_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;

/** Returns 25 conversations of an agent on that day, each with one answer of this latency. */
const calls = (first: number, agent: string, latencyMs: number) =>
  Array.from({ length: 25 }, (_, n) =>
    answeredCall(first + n, { agent, startMs: WINDOW_MS + n * 60_000, latencyMs }),
  ).flat();

describeInBrowser("alerts", (open) => {
  let server: TestServer;
  let context: BrowserContext;
  let home: string;
  beforeAll(async () => {
    vi.useFakeTimers({ now: WINDOW_MS + 1.5 * DAY_MS, toFake: ["Date"] });
    server = await startEmpty();
    await sendSpans(server, server.client, [...calls(1, "Hotel", 2_400), ...calls(40, "Taxi", 300)]);
    const { organization } = await server.admin.organization.get();
    home = `/o/${organization.id}/p/${server.project.slug}`;
    context = await openContext(open.browser, server.url);
  });
  afterAll(async () => {
    await context?.close();
    await server?.stop();
    vi.useRealTimers();
  });

  const alertOf = (name: string) =>
    until(`an alert of ${name}`, async () =>
      (await server.client.alerts.list({})).alerts.find(({ ruleName }) => ruleName === name),
    );
  const verdictOf = (page: Page) => page.getByRole("region", { name: "Preview" }).getByRole("status").first();

  test("a project without rules gets a ready one with one click", async () => {
    const { page, errors } = await openPage(context, `${home}/alerts`);
    await page.getByRole("heading", { name: "Hear of it when production goes badly" }).waitFor();
    await page.getByRole("button", { name: /^Add No conversations arrive/ }).click();
    await page.getByText("“No conversations arrive” watches every agent now.").waitFor();
    const row = page.getByRole("table", { name: "Alert rules" }).getByRole("row", { name: /No conversations arrive/ });
    expect(await row.innerText()).toContain("number of conversations below 1 in 1 hour");
    await page.getByText("no destination receives alert.raised").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("five clicks from the project's page make a rule for the p95 of one agent", async () => {
    const { page, errors } = await openPage(context, home);
    const clicks = [
      page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Alerts/ }),
      page.getByRole("link", { name: "New rule" }),
      page.getByRole("combobox", { name: "Agents" }),
      page.getByRole("option", { name: "Hotel" }),
      page.getByRole("button", { name: "Create rule" }),
    ];
    for (const click of clicks) await click.click();
    const row = page.getByRole("table", { name: "Alert rules" }).getByRole("row", { name: /^Hotel: p95/ });
    await row.waitFor();
    const { alertRules } = await server.client.alertRules.list();
    expect(alertRules[0]).toMatchObject({
      name: "Hotel: p95 of response latency above 2.00 s",
      watch: { kind: "measure", measure: "response_latency", statistic: "p95" },
      condition: { is: "above", value: 2_000 },
      agents: ["Hotel"],
      windowMinutes: 60,
    });
    expect(errors).toEqual([]);
    await page.close();
  });

  test("five clicks and an address tell a channel in Slack when the p95 of one agent is over 2 s", async () => {
    await server.client.agents.register({ name: "Hotel" });
    const { page, errors } = await openPage(context, home);
    const clicks = [
      page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Agents/ }),
      page.getByRole("link", { name: "Hotel", exact: true }),
      page.getByRole("link", { name: "New alert rule" }),
      page.getByRole("button", { name: "New channel in Slack" }),
    ];
    for (const click of clicks) await click.click();
    await page.keyboard.type("https://hooks.slack.com/services/T000/B000/topsecret");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByLabel("Name").fill("Hotel in Slack");
    await page.getByRole("button", { name: "Create rule" }).click();
    await page
      .getByRole("table", { name: "Alert rules" })
      .getByRole("row", { name: /Hotel in Slack/ })
      .waitFor();
    const { destinations } = await server.client.destinations.list({});
    const { alertRules } = await server.client.alertRules.list();
    expect(destinations).toMatchObject([{ kind: "slack", eventTypes: ["alert.raised", "alert.cleared"] }]);
    expect(alertRules[0]).toMatchObject({
      agents: ["Hotel"],
      watch: { kind: "measure", measure: "response_latency", statistic: "p95" },
      condition: { is: "above", value: 2_000 },
      destinationIds: [destinations[0]!.id],
    });
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the preview follows what a person types, by keyboard, and says what the rule then raises", async () => {
    const { page, errors } = await openPage(context, `${home}/alerts/rules/new`);
    await page.getByLabel("In a window of").selectOption("1 day");
    await verdictOf(page).getByText("it would have raised 1 alert, for 1 of 2 agents.").waitFor();
    await tabTo(page, "Limit in seconds");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("3");
    await verdictOf(page).getByText("it would have raised no alert.").waitFor();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("much");
    await page.getByText("Write a number.").waitFor();
    expect(await page.getByRole("button", { name: "Create rule" }).isDisabled()).toBe(true);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("2.2");
    await verdictOf(page).getByText("it would have raised 1 alert").waitFor();
    await tabTo(page, /^Hotel, p95 of response latency: .*1 bad/);
    await page.keyboard.press("ArrowLeft");
    await page.getByText("2.40 s, bad").waitFor();
    await tabTo(page, "The alerts as a list");
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name: "Alerts of the preview" }).getByRole("row", { name: /Hotel/ }).waitFor();
    await page.getByLabel("Name").fill("Slow days");
    await page.keyboard.press("Control+S");
    await page
      .getByRole("table", { name: "Alert rules" })
      .getByRole("row", { name: /Slow days/ })
      .waitFor();
    expect(await alertOf("Slow days")).toMatchObject({ agentName: "Hotel", value: 2_400, state: "open" });
    expect(errors).toEqual([]);
    await page.close();
  });

  test("an alert is acknowledged with a note, its rule muted, and its conversations are one click away", async () => {
    const { id } = await alertOf("Slow days");
    const { page, errors } = await openPage(context, `${home}/alerts`);
    await page
      .getByRole("table", { name: "Open" })
      .getByRole("link", { name: /^Hotel: p95/ })
      .click();
    await page.waitForURL(`**/alerts/${id}`);
    await page.getByRole("group", { name: /^Hotel, p95 of response latency: .*1 alert$/ }).waitFor();
    await page.getByLabel("Note").fill("The model is slow today.");
    await page.getByRole("button", { name: "Acknowledge" }).click();
    await page.getByRole("button", { name: "Acknowledge again" }).waitFor();
    expect((await server.client.alerts.get({ alertId: id })).alert).toMatchObject({
      note: "The model is slow today.",
      acknowledgedBy: expect.any(String),
    });
    await page.getByRole("button", { name: "Mute this agent" }).click();
    await page.getByRole("button", { name: "Mute", exact: true }).click();
    await page.getByText("muted for this agent until").waitFor();
    expect((await server.client.alertRules.list()).alertRules[0]).toMatchObject({
      mutedUntil: null,
      mutedAgents: [{ agentName: "Hotel" }],
    });
    await page.getByRole("button", { name: "Mute the rule" }).click();
    await page.getByLabel("How long").selectOption("For a day");
    await page.getByRole("button", { name: "Mute", exact: true }).click();
    await page.getByText("muted until").first().waitFor();
    const slowest = page.getByRole("table", { name: "Conversations of the alert" }).getByRole("row");
    expect(await slowest.nth(1).innerText()).toContain("2.40 s");
    await page.getByRole("link", { name: "Show all" }).click();
    await page.waitForURL("**/conversations?*");
    await isShown(page);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ alert: id });
    expect(await page.locator("tbody tr").count()).toBe(25);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a rule is edited, disabled and deleted, and says when saving clears its alerts", async () => {
    const { alertRuleId } = await alertOf("Slow days");
    const { page, errors } = await openPage(context, `${home}/alerts/rules/${alertRuleId}`);
    await page.getByText("Muted", { exact: true }).waitFor();
    await page.getByLabel("Limit in seconds").fill("9");
    await page.getByText("Saving clears 1 open alert").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Cleared").first().waitFor();
    await page.getByRole("button", { name: "More about Slow days" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await page.getByText("Disabled", { exact: true }).waitFor();
    await page.getByRole("button", { name: "More about Slow days" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete rule" }).click();
    await page.waitForURL("**/alerts");
    await isShown(page);
    expect(await page.locator("main").innerText()).not.toContain("Slow days");
    expect(errors).toEqual([]);
    await page.close();
  });
});
