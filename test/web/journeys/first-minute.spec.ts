import { readdirSync, readFileSync } from "node:fs";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { startEmpty } from "../support/seed.ts";

const EXAMPLE = new URL("../../../examples/first-trace/", import.meta.url);

describeInBrowser("the first minute", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let home: string;
  beforeAll(async () => {
    service = await startEmpty();
    context = await openContext(open.browser, service.url);
    const { organization } = await service.admin.organization.get();
    home = `/o/${organization.id}/p/${service.project.slug}`;
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
  });

  test("the secret of a first key is shown once and sends a trace that the conversations show with its words", async () => {
    const { page, errors } = await openPage(context, `${home.split("/p/")[0]}/settings/keys`);
    await page.getByRole("button", { name: "New key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("worker in production");
    await dialog.getByRole("radio", { name: "Send conversations" }).waitFor();
    expect(await dialog.getByRole("radio", { name: "Send conversations" }).isChecked()).toBe(true);
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("The service shows its secret only now").waitFor();
    await page.keyboard.press("Escape");
    const secret = await dialog.locator("code").first().innerText();
    await dialog.getByRole("button", { name: "I have kept it" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("row", { name: /worker in production/ }).waitFor();
    expect(await page.content()).not.toContain(secret);

    for (const name of readdirSync(EXAMPLE).filter((name) => name.endsWith(".json"))) {
      const answer = await context.request.post("/v1/traces", {
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        data: readFileSync(new URL(name, EXAMPLE)),
      });
      expect(answer.status()).toBe(200);
    }
    const reading = await context.request.get("/v1/traces", { headers: { authorization: `Bearer ${secret}` } });
    expect(reading.status()).toBe(403);
    await page.goto(`${home}/conversations`);
    const { traces } = await service.client.traces.list();
    expect(traces).toHaveLength(1);
    await service.conversationsRead();
    const { turns } = await service.client.traces.get({ traceId: traces[0]!.traceId });
    const words = turns.flatMap(({ text }) => text ?? []);
    await page.locator("tbody").getByRole("link").first().click();
    const timeline = page.getByRole("treegrid");
    for (const said of words) await timeline.getByText(said, { exact: true }).first().waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the sample agent plays by one click, and the failed behavior leads to the words that decided it", async () => {
    const { organization } = await service.admin.organization.get();
    const { project } = await service.admin.projects.create({ name: "Sample" });
    const { page, errors } = await openPage(context, `/o/${organization.id}/p/${project.slug}`);
    await page.getByText(`npx --no -- svc login --url ${new URL(page.url()).origin}`).waitFor();
    expect(await page.getByRole("link", { name: "Start a run" }).count()).toBe(0);
    await page.getByRole("button", { name: "Play it" }).click();
    await page.waitForURL("**/runs/run_*");
    const failures = page.getByRole("table", { name: "What failed" });
    await failures.getByRole("row").nth(1).getByRole("link").first().click();
    await page.waitForURL("**/simulations/**");
    await page.getByRole("treegrid").waitFor();
    const { sample } = await service.admin.sample.start({ projectId: project.id });
    const { behaviors } = await service.admin.runs.behaviors({
      projectId: project.id,
      runId: sample.runId as never,
      verdict: "failed",
    });
    const main = page.locator("main");
    const verdicts = main.getByRole("tabpanel");
    await verdicts.getByText(behaviors[0]!.criterion, { exact: true }).first().waitFor();
    await verdicts.getByText(behaviors[0]!.example!.reason).first().waitFor();
    await main.getByRole("link", { name: "Measures" }).click();
    await page.waitForURL("**/conversations/**");
    await page.getByRole("tab", { name: /Measures/, selected: true }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});
