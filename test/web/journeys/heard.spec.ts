import type { Measure } from "@svc/contract";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { otlpOf, spansOf } from "../../../packages/server/src/runs/after/spans.ts";
import type { SimulationRow } from "../../../packages/server/src/runs/rules.ts";
import { CALL_START_MS, callTranscript } from "../../support/calls/call-summary.ts";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { addInspection, violationsOf } from "../support/inspection.ts";
import { until } from "../../support/until.ts";
import { startEmpty } from "../support/seed.ts";
import { shiftedCapture } from "../support/shifted-captures.ts";
import { keepSound } from "../support/sound.ts";

const simulation = { id: "sim_1", attempt: 1, run_id: "run_1", ending_reason: "persona_concluded" } as SimulationRow;

/** Returns the spans with the sound of a call, in the trace of the worker that took the call. */
function soundIn(traceId: string): object {
  const { root, ofCall } = spansOf(simulation, "Clinic", callTranscript());
  return otlpOf([root, ...ofCall].map((span) => ({ ...span, traceId })));
}

describeInBrowser("a call of a worker", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let address: string;
  let gradedAddress: string;
  let measures: Measure[];
  beforeAll(async () => {
    service = await startEmpty();
    const { client } = service;
    const check = "stops within 100 ms when interrupted";
    await client.graders.create({ name: "Yields", definition: { kind: "check", check }, scope: "production" });
    const endMs = CALL_START_MS + 20_000;
    for (const body of shiftedCapture("py-1.8.9-voice", { name: "heard", agentName: "Clinic", endMs }))
      await client.traces.ingest(body);
    await service.conversationsRead();
    const { traceId } = (await client.traces.list()).traces[0]!;
    await client.traces.ingest({ body: JSON.stringify(soundIn(traceId)), contentType: "application/json" });
    await service.conversationsRead();
    ({ measures } = await client.traces.get({ traceId, wait: 20 }));
    // A trace with the sound of a simulation is not a production conversation, so another conversation gets the grade.
    for (const body of shiftedCapture("py-1.8.9-voice", { name: "graded", agentName: "Clinic", endMs: endMs - 60_000 }))
      await client.traces.ingest(body);
    await service.conversationsRead();
    const graded = (await client.traces.list()).traces.find((other) => other.traceId !== traceId)!;
    await keepSound(service, graded.traceId);
    const isGraded = async () => (await client.grades.ofTrace({ traceId: graded.traceId })).grades.length > 0;
    await until("the call is graded", isGraded);
    const { organization } = await service.admin.organization.get();
    address = `/o/${organization.id}/p/${service.project.slug}/conversations/${traceId}?tab=measures`;
    gradedAddress = `/o/${organization.id}/p/${service.project.slug}/conversations/${graded.traceId}?tab=grades`;
    context = await openContext(open.browser, service.url);
    await addInspection(context);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
  });

  test("a call of a worker has the latencies that the caller hears beside those that the worker reports", async () => {
    const { page, errors } = await openPage(context, address);
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: /^Response latency/ }) });
    await page.getByRole("heading", { name: "Reported and heard" }).waitFor();
    const meanOf = (wanted: Measure["name"]) => measures.find(({ name }) => name === wanted)!.summary.mean!;
    const [reported, heard] = [meanOf("response_latency"), meanOf("heard_response_latency")];
    expect(await row.getByRole("cell").allInnerTexts()).toEqual([`${Math.round(reported)} ms`, "1.87 s"]);
    await row.getByText(`+${((heard - reported) / 1_000).toFixed(2)} s as heard`).waitFor();
    if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/heard.png" });
    expect(await violationsOf(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the verdict about an interruption leads to its moment, and the recording plays from a second before it", async () => {
    const { page, errors } = await openPage(context, gradedAddress);
    const { value } = measures.find(({ name }) => name === "yield_latency")!.samples[0]!;
    await page
      .getByRole("tabpanel")
      .getByText(`the longest went on for ${Math.round(value)} ms in turn`)
      .waitFor();
    const evidence = page.getByRole("button", { name: /interrupted at 0:/ });
    const [minutes, seconds] = /at (\d+):([\d.]+)/
      .exec(await evidence.innerText())!
      .slice(1)
      .map(Number) as [number, number];
    const atSeconds = minutes * 60 + seconds;
    await page.evaluate(`(() => {
      const audio = document.querySelector("audio");
      audio.addEventListener("seeking", () => (window.soughtTo = audio.currentTime));
    })()`);
    const plays = async (what: string) => {
      const playing = "!document.querySelector('audio').paused && window.soughtTo";
      await until(what, async () => Math.abs(Number(await page.evaluate(playing)) - (atSeconds - 1)) < 0.1);
      await page.evaluate("window.soughtTo = undefined, document.querySelector('audio').pause()");
    };
    await evidence.click();
    await plays("the verdict plays the moment");
    const note = page.getByText(/^Cut short by the caller at 0:[\d.]+; went on for /).first();
    await note.waitFor();
    await page.getByRole("button", { name: "Hear it, the interruption at" }).first().click();
    await plays("the turn plays the moment");
    await page.locator("body").press("i");
    await plays("the key plays the moment");
    if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/interruption.png", fullPage: true });
    expect(await violationsOf(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });
});
