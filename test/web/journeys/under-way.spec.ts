import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, type Spoken, startChatAgent } from "../../support/chat-agent.ts";
import { chatConnection, simulationsOf, startRun, versionsOf } from "../../support/runs.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { addInspection, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";

/** Replaces the browser's notifications, which need a person who permits them. */
const NOTIFICATIONS = `
  window.shown = [];
  window.Notification = class extends EventTarget {
    static permission = "default";
    static requestPermission = async () => (Notification.permission = "granted");
    constructor(title) { super(); window.shown.push(title); }
  };`;

describeInBrowser("a simulation that is under way", (open) => {
  let service: TestServer;
  let dataDir: string;
  let agent: ChatAgent;
  let context: BrowserContext;
  let release: () => void;
  let hold: Promise<void>;

  const holdAgain = () => {
    ({ promise: hold, resolve: release } = Promise.withResolvers<void>());
  };
  const answer = async ({ event, message }: Spoken) => {
    if (event === "start") return { message: "Reception, good evening." };
    if (message === "Goodbye.") await hold;
    return { message: "I am fine, bye." };
  };
  const openService = async () => {
    service = await startEmpty({}, dataDir);
    context = await openContext(open.browser, service.url);
    await context.addInitScript({ content: NOTIFICATIONS });
    await addInspection(context);
  };
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "svc-under-way-"));
    agent = await startChatAgent(answer);
    await openService();
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
    agent.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Starts a run of one simulation, which waits for `release` in its second turn. */
  async function startHeld() {
    holdAgain();
    const target = await chatConnection(service.client, agent.url);
    const scenario = "Says: How are you?\nSays: Goodbye.";
    const testVersions = await versionsOf(service.client, [{ scenario, behaviors: ['says "fine"'] }]);
    const run = await startRun(service.client, { ...target, testVersions, caller: "scripted" });
    const [simulation] = await simulationsOf(service.client, run.id);
    const { organization } = await service.admin.organization.get();
    const runPath = `/o/${organization.id}/p/${service.project.slug}/runs/${run.id}`;
    return { simulationId: simulation!.id, runPath, path: `${runPath}/simulations/${simulation!.id}` };
  }

  const turn = (page: Page, visibility: "hidden" | "visible") =>
    page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${visibility}", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));`);
  const shownBy = (page: Page) => page.evaluate<string[]>("window.shown");

  test("the page shows the words so far and the elapsed time, and a hidden tab tells how the simulation ended", async () => {
    const { path } = await startHeld();
    const { page, errors } = await openPage(context, path);
    const log = page.getByRole("log", { name: "Transcript so far" });
    await log.getByText("Goodbye.").waitFor();
    expect(await log.locator("li p").allInnerTexts()).toEqual([
      "Reception, good evening.",
      "How are you?",
      "I am fine, bye.",
      "Goodbye.",
    ]);
    expect(await page.getByRole("timer").innerText()).toMatch(/^\d:\d\d$/);
    expect(await page.title()).toMatch(/^Under way · /);
    expect([...(await violationsOf(page)), ...(await sidewaysScrollOf(page))]).toEqual([]);
    if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/under-way.png" });

    await page.getByRole("button", { name: "Tell me when it ends" }).click();
    await page.getByRole("button", { name: "Tell me when it ends" }).waitFor({ state: "detached" });
    await turn(page, "hidden");
    release();
    const [notice] = await until("the notification", async () => {
      const shown = await shownBy(page);
      return shown.length > 0 && shown;
    });
    expect(notice).toMatch(/^Passed: /);
    expect(await page.title()).toMatch(/^Passed · /);
    await turn(page, "visible");
    await page.getByRole("treegrid", { name: "Transcript and waterfall" }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the tab of a run says how far the run is, also while it is hidden, and a run that is over gives no notice", async () => {
    const { runPath } = await startHeld();
    const { page, errors } = await openPage(context, runPath);
    await until("the title has the progress", async () => (await page.title()).startsWith("0 of 1 · "));
    await page.getByRole("button", { name: "Tell me when it ends" }).click();
    await turn(page, "hidden");
    release();
    await until("the notification", async () => (await shownBy(page)).length > 0);
    expect((await shownBy(page))[0]).toMatch(/^1 passed: /);
    expect(await page.title()).toMatch(/^1 passed · /);
    await page.reload();
    await page.evaluate("Notification.requestPermission()");
    await until("the title has the result", async () => (await page.title()).startsWith("1 passed · "));
    expect(await shownBy(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the page of a simulation that the service interrupted says why there is a second attempt, also after the end", async () => {
    const { path, simulationId } = await startHeld();
    await until("a turn is stored", async () => {
      const { simulation } = await service.client.simulations.get({ simulationId });
      const { events } = await service.client.runs.events({ runId: simulation.runId, simulationId });
      return events.filter(({ kind }) => kind === "turn").length === 4;
    });
    await context.close();
    await service.stop();
    await openService();
    const { page, errors } = await openPage(context, path);
    const why = page.getByText("The service stopped during attempt 1. The simulation is played again.");
    await why.waitFor();
    const log = page.getByRole("log", { name: "Transcript so far" });
    await until("only the second attempt's words", async () => (await log.locator("li").count()) === 4);
    release();
    await page.getByRole("treegrid", { name: "Transcript and waterfall" }).waitFor();
    await why.waitFor();
    expect(await page.title()).toMatch(/^Passed · /);
    expect(errors).toEqual([]);
    await page.close();
  });
});
