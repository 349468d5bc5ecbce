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
import { startEmpty } from "../support/seed.ts";
import { shiftedCapture } from "../support/shifted-captures.ts";

const simulation = { id: "sim_1", attempt: 1, run_id: "run_1", ending_reason: "persona_concluded" } as SimulationRow;

/** Returns the spans of a call's sound in the trace of the worker that took the call. */
function soundIn(traceId: string): object {
  const { root, ofCall } = spansOf(simulation, "Clinic", callTranscript());
  return otlpOf([root, ...ofCall].map((span) => ({ ...span, traceId })));
}

describeInBrowser("a call of a worker", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let address: string;
  let measures: Measure[];
  beforeAll(async () => {
    service = await startEmpty();
    const { client } = service;
    const endMs = CALL_START_MS + 20_000;
    for (const body of shiftedCapture("py-1.8.9-voice", { name: "heard", agentName: "Clinic", endMs }))
      await client.traces.ingest(body);
    await service.conversationsRead();
    const { traceId } = (await client.traces.list()).traces[0]!;
    await client.traces.ingest({ body: JSON.stringify(soundIn(traceId)), contentType: "application/json" });
    await service.conversationsRead();
    ({ measures } = await client.traces.get({ traceId, wait: 20 }));
    const { organization } = await service.admin.organization.get();
    address = `/o/${organization.id}/p/${service.project.slug}/conversations/${traceId}?tab=measures`;
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
});
