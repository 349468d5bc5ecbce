import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { isShown, newPage, openContext, SIZES } from "../support/browsing.ts";
import { addInspection, coveredHeadsOf, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";
import { sendTwentyAgents } from "../support/twenty-agents.ts";

describeInBrowser("twenty agents", (open) => {
  let service: TestServer;
  beforeAll(async () => {
    service = await startEmpty();
    await sendTwentyAgents(service.client);
    await service.conversationsRead();
  });
  afterAll(() => service.stop());

  test("the page, one agent, a comparison, a range of days and the overview are accessible in both themes and sizes", async () => {
    const { organization } = await service.admin.organization.get();
    const context = await openContext(open.browser, service.url);
    await addInspection(context);
    const faults: string[] = [];
    for (const path of [
      "/metrics?rows=all",
      "/metrics?agent=support.agent-1&compare=before",
      "/metrics?agent=support.agent-1&lines=versions",
      "/metrics?from=2026-01-01&to=2026-01-02&agent=Nobody",
      "/metrics?period=30d&order=p95&compare=before",
      "",
    ]) {
      const { page, errors } = await newPage(context);
      await page.goto(`/o/${organization.id}/p/${service.project.slug}${path}`);
      await isShown(page);
      for (const size of ["wide", "narrow"] as const) {
        await page.setViewportSize(SIZES[size]);
        const found = [
          ...(await violationsOf(page)),
          ...(await sidewaysScrollOf(page)),
          ...(await coveredHeadsOf(page)),
        ];
        await page.emulateMedia({ colorScheme: "dark" });
        found.push(...(await violationsOf(page, "colours")).map((fault) => `dark: ${fault}`));
        await page.emulateMedia({ colorScheme: "light" });
        faults.push(...found.map((fault) => `${path}, ${size}: ${fault}`));
      }
      faults.push(...errors.map((error) => `${path}: ${error}`));
      await page.close();
    }
    await context.close();
    expect(faults).toEqual([]);
  });
});
