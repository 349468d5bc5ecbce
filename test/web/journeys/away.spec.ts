import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { startEmpty } from "../support/seed.ts";

describeInBrowser("a service that is away", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let project: string;
  beforeAll(async () => {
    service = await startEmpty();
    const { organization } = await service.admin.organization.get();
    project = `/o/${organization.id}/p/${service.project.slug}`;
    context = await openContext(open.browser, service.url);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
  });

  test("when the service does not answer, a page that was not loaded yet does not break the others, and appears by itself when the service answers again", async () => {
    const { page } = await openPage(context, project);
    const menu = page.getByRole("link", { name: "Conversations", exact: true });
    await menu.waitFor();
    const address = page.url();
    await page.route("**/*", (route) => route.abort("connectionrefused"));
    await page.getByRole("link", { name: "Graders", exact: true }).click();
    await page.getByText("This page could not be loaded, because the service does not answer").waitFor();
    expect(await menu.isVisible()).toBe(true);
    expect(page.url()).not.toBe(address);
    await page.unroute("**/*");
    await page.getByRole("heading", { name: "Graders", level: 1 }).waitFor();
    await page.close();
  });

  test("every page has its address to copy, with its filters", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    for (const path of ["/conversations?status=error", "/runs", "/metrics", "/tests"]) {
      const { page } = await openPage(context, `${project}${path}`);
      await page.getByRole("button", { name: "Copy link" }).click();
      await page.getByText("Copied").waitFor({ state: "attached" });
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(page.url());
      await page.close();
    }
  });
});
