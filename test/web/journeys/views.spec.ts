import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-spec.ts";
import { isShown, openContext, openPage } from "../support/browsing.ts";
import { addInspection, violationsOf } from "../support/inspection.ts";
import { type Seeded, startSeeded } from "../support/seed.ts";

describeInBrowser("saved views and labels of the list", (open) => {
  let service: Seeded;
  let context: BrowserContext;
  let conversations: string;
  beforeAll(async () => {
    service = await startSeeded();
    conversations = `${service.home}/conversations`;
    context = await openContext(open.browser, service.url);
    await addInspection(context);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
  });

  test("filters are saved with the keyboard, opened by a link, changed, updated, renamed and deleted", async () => {
    const { page, errors } = await openPage(context, conversations);
    expect(await page.getByRole("navigation", { name: "Saved views" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Save view" }).count()).toBe(0);
    await page.getByRole("button", { name: "Since" }).click();
    await page.getByRole("button", { name: "last 30 days" }).click();
    await page.getByRole("button", { name: "Source" }).click();
    await page.getByRole("button", { name: "production", exact: true }).click();
    await page.getByRole("combobox", { name: "Order" }).selectOption("-slowest");
    await page.getByRole("button", { name: "Save view" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "Always the last 30 days" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.type("Slow calls");
    await page.keyboard.press("Enter");
    const tabs = page.getByRole("navigation", { name: "Saved views" });
    await tabs.getByRole("link", { name: "Slow calls" }).waitFor();
    await page.waitForURL(/conversations\?view=viw_[0-9a-z]{26}$/);
    expect(await tabs.locator("[aria-current]").allTextContents()).toEqual(["Slow calls"]);
    const { views } = await service.client.views.list();
    expect(views[0]!.query).toEqual({
      list: "conversations",
      lastHours: 720,
      source: "production",
      sort: "-slowest",
    });

    const copied = await openPage(context, page.url().slice(service.url.length));
    await copied.page.getByRole("link", { name: "Slow calls", exact: true }).waitFor();
    expect(await copied.page.getByRole("combobox", { name: "Order" }).inputValue()).toBe("-slowest");
    await copied.page.close();

    await page.getByRole("button", { name: "Take off the filter Since" }).click();
    await tabs.getByText("changed").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await tabs.getByText("changed").waitFor();
    await page.getByRole("button", { name: "Update view" }).click();
    await dialog.getByRole("button", { name: "Update", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await tabs.getByText("changed").waitFor({ state: "detached" });
    expect((await service.client.views.list()).views[0]!.query).toEqual({
      list: "conversations",
      source: "production",
      sort: "-slowest",
    });

    await tabs.getByRole("button", { name: "Change the view Slow calls" }).press("Enter");
    await page.getByRole("menuitem", { name: "Rename" }).press("Enter");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Slowest");
    await page.keyboard.press("Enter");
    await tabs.getByRole("link", { name: "Slowest" }).waitFor();
    const address = page.url().slice(service.url.length);
    await tabs.getByRole("link", { name: "All" }).click();
    await page.waitForURL(/conversations$/);
    await tabs.getByRole("link", { name: "Slowest" }).click();
    await tabs.getByRole("button", { name: "Change the view Slowest" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete the view" }).click();
    await tabs.waitFor({ state: "detached" });
    await isShown(page);
    expect(errors).toEqual([]);
    await page.close();

    const gone = await openPage(context, address);
    await gone.page.getByText("This view is gone").waitFor();
    expect(gone.errors).toEqual([]);
    await gone.page.close();
  });

  test("turns have views of their own", async () => {
    const { page, errors } = await openPage(context, `${conversations}/turns?slow=1500`);
    await page.getByRole("button", { name: "Save view" }).click();
    await page.keyboard.type("Slow turns");
    await page.keyboard.press("Enter");
    const tabs = page.getByRole("navigation", { name: "Saved views" });
    await tabs.getByRole("link", { name: "Slow turns" }).waitFor();
    const { views } = await service.client.views.list({ list: "turns" });
    expect(views.map(({ name, query }) => [name, query])).toEqual([
      ["Slow turns", { list: "turns", slowerThanMs: 1_500, sort: "-answerMs" }],
    ]);
    await page.getByRole("button", { name: "Conversations", exact: true }).click();
    await page.waitForURL(/conversations\?slow=1500$/);
    expect(await tabs.count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("selected conversations get one label each, and those without a grade are named before", async () => {
    const { page, errors } = await openPage(context, `${conversations}?run=${service.runId}`);
    const boxes = page.getByRole("checkbox", { name: /^Select the conversation/ });
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    const bar = page.getByRole("toolbar", { name: "Selected conversations" });
    await bar.getByRole("button", { name: "Label" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "What you judge" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const key = await dialog.getByRole("combobox", { name: "What you judge" }).inputValue();
    const [graderId, criterion] = JSON.parse(key) as [string, string];
    await dialog.getByRole("radio", { name: "Failed" }).check();
    await dialog.getByRole("textbox", { name: "Note" }).fill("Too curt.");
    await dialog.getByRole("button", { name: /^Label \d conversations?$/ }).click();
    await page.getByText(/^Labeled \d conversations?\.$/).waitFor();
    const { traces } = await service.client.traces.list({ runId: service.runId, pageSize: 2 });
    const labels = [];
    for (const { traceId } of traces) {
      const { grades } = await service.client.grades.ofTrace({ traceId });
      for (const grade of grades)
        if (grade.graderId === graderId && grade.criterion === criterion) labels.push(...grade.labels);
    }
    expect(labels.length).toBeGreaterThan(0);
    for (const label of labels) expect(label).toMatchObject({ verdict: "failed", note: "Too curt." });
    expect(errors).toEqual([]);
    await page.close();
  });
});
