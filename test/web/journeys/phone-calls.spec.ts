import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeSipAgent, startFakeSipAgent } from "../../support/calls/fake-sip-agent.ts";
import { settled, simulationsOf, sipConnection, startRun, versionsOf } from "../../support/runs.ts";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage, SIZES, THEMES } from "../support/browsing.ts";
import { addInspection, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";

describeInBrowser("calls over SIP", (open) => {
  let service: TestServer;
  let agent: FakeSipAgent;
  let context: BrowserContext;
  let project: string;
  beforeAll(async () => {
    service = await startEmpty();
    agent = await startFakeSipAgent({
      async desk(call) {
        call.respond(180);
        call.accept();
        await call.confirmed();
        await call.say(3, (at) => (at >= 30 && at < 35 ? "lost" : 0));
        call.report(4, 40);
        call.request("BYE");
      },
      busy: (call) => call.respond(486),
    });
    const { organization } = await service.admin.organization.get();
    project = `/o/${organization.id}/p/${service.project.slug}`;
    context = await openContext(open.browser, service.url);
    await addInspection(context);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
    agent.stop();
  });

  async function played(user: string) {
    const over = await sipConnection(service.client, { uri: agent.urlOf(user), account: agent.urlOf("1001") });
    const testVersions = await versionsOf(service.client, [
      { scenario: "Says: Goodbye.", behaviors: ["ends the call"] },
    ]);
    const run = await startRun(service.client, { ...over, testVersions, caller: "scripted" });
    await settled(service.client, run.id, 150_000);
    return { over, simulation: (await simulationsOf(service.client, run.id))[0]! };
  }

  test(
    "calls over SIP show their signalling as a ladder and their lost packets, with the simulation, its conversation and a try",
    { timeout: 240_000 },
    async () => {
      const { over, simulation } = await played("desk");
      const address = `${project}/runs/${simulation.runId}/simulations/${simulation.id}?tab=call`;
      const { page, errors } = await openPage(context, address);
      const rungs = page.getByRole("list", { name: "Signalling of the call" }).locator("li[data-by]");
      expect((await rungs.locator("[class*=words]").allInnerTexts()).map((text) => text.split("\n").at(-1))).toEqual([
        "registered the service (200)",
        "called",
        "rings (180)",
        "answered (200)",
        "first sound",
        "hung up",
      ]);
      await page.getByText(/^145 packets, 5 lost \(3\.3%\)/).waitFor();
      await page.getByText("Packets not heard").first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.goto(`${project}/conversations/${simulation.traceId}?tab=call`);
      await page.getByText(/^145 packets, 5 lost \(3\.3%\)/).waitFor();
      await page.getByText(/5 lost, \d+ late/).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.goto(`${project}/agents/${over.agentId}`);
      await page.getByRole("table", { name: "Connections" }).getByRole("button", { name: "Try" }).click();
      const tried = page.getByRole("dialog", { name: /^Try/ });
      await tried.getByText("registered the service (200)").waitFor({ timeout: 60_000 });
      expect(await violationsOf(page)).toEqual([]);
      expect(errors).toEqual([]);
      await page.close();
      for (const size of Object.keys(SIZES) as (keyof typeof SIZES)[])
        for (const theme of THEMES) {
          const other = await openContext(open.browser, service.url, { size, theme });
          const shown = await openPage(other, address);
          await shown.page.getByText(/^145 packets, 5 lost/).waitFor();
          expect(await sidewaysScrollOf(shown.page)).toEqual([]);
          if (process.env["SPEC_PICTURES"])
            await shown.page.screenshot({ path: `pictures/call-${size}-${theme}.png`, fullPage: true });
          await other.close();
        }
    },
  );

  test(
    "calls over SIP that do not come about show who ended them, and with which status",
    { timeout: 240_000 },
    async () => {
      const { simulation } = await played("busy");
      const { page, errors } = await openPage(
        context,
        `${project}/runs/${simulation.runId}/simulations/${simulation.id}?tab=call`,
      );
      await page.getByText("refused the call (486)").waitFor();
      await page.getByText("The line of the agent was busy").first().waitFor();
      expect(await page.getByText("no packet").count()).toBe(2);
      if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/busy.png", fullPage: true });
      expect(await violationsOf(page)).toEqual([]);
      expect(errors).toEqual([]);
      await page.close();
    },
  );
});
