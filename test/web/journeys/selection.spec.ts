import { readFileSync } from "node:fs";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-spec.ts";
import { isShown, openContext, openPage } from "../support/browsing.ts";
import { type Seeded, startSeeded } from "../support/seed.ts";

describeInBrowser("conversations selected in the list", (open) => {
  let service: Seeded;
  let context: BrowserContext;
  let conversations: string;
  beforeAll(async () => {
    service = await startSeeded();
    conversations = `${service.home}/conversations?source=production`;
    context = await openContext(open.browser, service.url);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
  });

  test("get a test each, one page after the other", async () => {
    const { page, errors } = await openPage(context, `${conversations}&agent=Concierge`);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    const bar = page.getByRole("toolbar", { name: "Selected conversations" });
    await bar.getByText("1 selected").waitFor();
    const boxes = page.getByRole("checkbox", { name: /^Select the conversation/ });
    await boxes.nth(2).click({ modifiers: ["Shift"] });
    await bar.getByText("3 selected").waitFor();
    await boxes.nth(1).uncheck();
    await bar.getByText("2 selected").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      bar.getByRole("button", { name: "Save as CSV" }).click(),
    ]);
    const [head, ...rows] = readFileSync(await download.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect([download.suggestedFilename(), head]).toEqual([
      "svc-conversations.csv",
      expect.stringMatching(/^trace_id,/),
    ]);
    expect(rows.map((row) => row.split(",")[3])).toEqual(["Concierge", "Concierge"]);
    const before = await tests();
    await bar.getByRole("button", { name: "Make tests" }).click();
    await page.waitForURL(/tests\/new\?conversation=[0-9a-f]{32}&failing=true&following=[0-9a-f]{32}$/);
    await page.getByText("1 conversation after this one.").waitFor();
    await page.getByRole("button", { name: "Create test" }).click();
    await page.waitForURL(/tests\/new\?conversation=[0-9a-f]{32}&failing=true$/);
    await isShown(page);
    expect(await tests()).toBe(before + 1);
    expect(errors).toEqual([]);
    await page.close();

    async function tests(): Promise<number> {
      return (await service.client.tests.list({ limit: 200 })).items.length;
    }
  });

  test("conversations selected in the list are deleted together, and those that stay are no longer selected", async () => {
    const { page, errors } = await openPage(context, conversations);
    const before = await ids();
    const boxes = page.getByRole("checkbox", { name: /^Select the conversation/ });
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("toolbar").count()).toBe(0);
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Delete 2 conversations?").waitFor();
    await dialog.getByRole("button", { name: "Delete 2 conversations" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("toolbar").waitFor({ state: "detached" });
    expect(await ids()).toEqual(before.slice(2));
    await isShown(page);
    expect(errors).toEqual([]);
    await page.close();

    async function ids(): Promise<string[]> {
      const { traces } = await service.client.traces.list({ source: "production", pageSize: 100 });
      return traces.map(({ traceId }) => traceId);
    }
  });
});
