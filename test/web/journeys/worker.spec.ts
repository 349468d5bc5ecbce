import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { addInspection, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";
import { shiftedCapture } from "../support/shifted-captures.ts";

describeInBrowser("connecting a worker", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  beforeAll(async () => {
    service = await startEmpty();
    context = await openContext(open.browser, service.url);
    await addInspection(context);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
  });

  test("a worker is connected by lines in its language, Python first, and the page shows its first conversation without a reload", async () => {
    const { organization } = await service.admin.organization.get();
    const { page, errors } = await openPage(context, `/o/${organization.id}/p/${service.project.slug}/monitoring`);
    await page.getByText("from svc_voice import monitor_platform_b").waitFor();
    await page.getByText("pip install").waitFor();
    await page.getByRole("button", { name: "JavaScript" }).click();
    await page.getByText('import { monitor_platform_b } from "@svc/worker-helper";').waitFor();
    await page.getByText("npm install").waitFor();
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByText("waiting for the first conversation").waitFor();
    if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/worker.png", fullPage: true });
    expect(await violationsOf(page)).toEqual([]);
    for (const body of shiftedCapture("py-1.8.9-voice", {
      name: "first",
      agentName: "Clinic",
      endMs: Date.now() - 60_000,
    }))
      await service.client.traces.ingest(body);
    await page.getByText("newest conversation").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a list whose newest conversation is in the future says that the clock of its sender is ahead", async () => {
    const { organization } = await service.admin.organization.get();
    const endMs = Date.now() + 50 * 60_000;
    for (const body of shiftedCapture("py-1.8.9-voice", { name: "ahead", agentName: "Clinic", endMs }))
      await service.client.traces.ingest(body);
    await service.conversationsRead();
    const { page, errors } = await openPage(context, `/o/${organization.id}/p/${service.project.slug}/conversations`);
    await page.getByText("Live, and the clock of a sender is ahead").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});
