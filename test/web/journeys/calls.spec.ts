import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeVoiceAgent, pcmSyllablesOf, startFakeVoiceAgent } from "../../support/calls/fake-voice-agent.ts";
import { startRun, versionsOf, voiceConnection } from "../../support/runs.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { addInspection, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";

/** A call of two turns takes about ten seconds, and longer on a busy machine. */
const CALL_MS = 90_000;

describeInBrowser("a run of calls", (open) => {
  let service: TestServer;
  let agent: FakeVoiceAgent;
  let context: BrowserContext;
  let runs: string;
  beforeAll(async () => {
    service = await startEmpty({ SVC_CALLS_AT_ONCE: "1" });
    agent = await startFakeVoiceAgent({
      answers(call) {
        call.say(0.7);
        call.onCallersTurn((turn) => {
          if (turn === 1) call.say(0.9);
          else call.socket.close(1000);
        });
      },
      answersInPcm(call) {
        const say = (seconds: number) => call.send({ event: "media", media: { payload: pcmSyllablesOf(seconds) } });
        say(0.7);
        call.onCallersTurn(() => say(0.9));
      },
    });
    const { organization } = await service.admin.organization.get();
    runs = `/o/${organization.id}/p/${service.project.slug}/runs`;
    context = await openContext(open.browser, service.url);
    await addInspection(context);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
    agent.stop();
  });

  test(
    "a run of calls begins with a connection by WebSocket, which a person adds with its address and codec, and which is tried",
    { timeout: 180_000 },
    async () => {
      const { agent: added } = await service.client.agents.register({ name: "Telephone desk" });
      const { page, errors } = await openPage(context, runs.replace(/runs$/, `agents/${added.id}`));
      await page.getByRole("button", { name: "Add connection" }).click();
      await page.getByLabel("Type").selectOption({ label: "WebSocket audio endpoint" });
      await page.getByLabel("Access").selectOption({ index: 0 });
      await page.getByLabel("url", { exact: false }).first().fill(agent.urlOf("answersInPcm"));
      await page.getByLabel("codec", { exact: false }).selectOption("pcm_16k");
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("dialog").getByRole("button", { name: "Add connection" }).click();
      const tried = page.getByRole("dialog", { name: "Try “WebSocket audio endpoint”" });
      await tried.getByText("The connection is added.").waitFor();
      await tried.getByText(/^The agent answered after \d+ ms\.$/).waitFor({ timeout: 60_000 });
      await tried.getByText(/^Heard \d+ ms of speech/).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/try.png", fullPage: true });
      await tried.getByRole("button", { name: "Close" }).last().click();
      const row = page.getByRole("table", { name: "Connections" }).locator("tbody tr");
      await row.getByText("WebSocket audio endpoint, voice").waitFor();
      await row.getByText("pcm_16k").waitFor();

      await row.getByRole("button", { name: "Archive" }).waitFor();
      const { connections } = await service.client.connections.list({ agentId: added.id });
      const ids = { agentId: added.id, connectionId: connections[0]!.id };
      await service.client.connections.edit({ ...ids, config: { url: agent.urlOf("nothing"), codec: "pcm_16k" } });
      await row.getByRole("button", { name: "Try" }).click();
      const again = page.getByRole("dialog", { name: "Try “WebSocket audio endpoint”" });
      await again.getByText(/status 404 and opened no WebSocket/).waitFor({ timeout: 60_000 });
      await again.getByText(/^Failed, \d+ ms$/).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(errors).toEqual([]);
      await page.close();
    },
  );

  const oneCall = { scenario: "Says: I need a room.\nSays: Thank you, goodbye.", behaviors: ["ends the call"] };

  test(
    "a run of calls shows its queue, each waiting call with its place, and a played call with its recording",
    { timeout: 180_000 },
    async () => {
      const { client } = service;
      const target = await voiceConnection(client, agent.urlOf("answers"));
      const testVersions = await versionsOf(client, [oneCall, oneCall, oneCall]);
      const run = await startRun(client, { ...target, testVersions, caller: "scripted" });
      await until("a call is under way", async () => (await client.runs.get({ runId: run.id })).run.runningCount === 1);

      const { page, errors } = await openPage(context, `${runs}/${run.id}`);
      const queue = page.getByRole("table", { name: "Queue" });
      await queue.waitFor();
      expect(await queue.locator("tbody tr td:first-child").allInnerTexts()).toEqual(["1", "2"]);
      await page.getByText("1 under way, 2 wait").waitFor();
      expect([...(await violationsOf(page)), ...(await sidewaysScrollOf(page))]).toEqual([]);
      if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/queue.png", fullPage: true });
      await queue.locator("tbody tr").last().getByRole("link").click();
      await page.getByText(/place \d in the queue/).waitFor();

      const simulationId = await until(
        "a call has its verdict",
        async () => {
          const { simulations } = await client.runs.simulations({ runId: run.id });
          const settled = simulations.find(({ grading }) => grading === "settled");
          return settled?.id ?? Promise.reject(new Error(JSON.stringify(simulations.map(({ status }) => status))));
        },
        CALL_MS,
      );
      await client.runs.cancel({ runId: run.id });
      await page.goto(`${runs}/${run.id}/simulations/${simulationId}`);
      const player = page.getByRole("region", { name: "Recording" });
      await player.getByRole("button", { name: "Play", exact: true }).click();
      await until("the first turn is heard", async () =>
        (await page.locator("[role=row][aria-current]").count()) > 0 ? true : undefined,
      );
      if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/call.png" });
      expect([...(await violationsOf(page)), ...(await sidewaysScrollOf(page))]).toEqual([]);
      expect(errors).toEqual([]);
      await page.close();
    },
  );
});
