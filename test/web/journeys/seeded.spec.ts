import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-spec.ts";
import { isShown, openContext, openPage } from "../support/browsing.ts";
import { tabTo } from "../support/keyboard.ts";
import { type Seeded, startSeeded } from "../support/seed.ts";

describeInBrowser("a project in use", (open) => {
  let service: Seeded;
  let context: BrowserContext;
  let home: string;
  beforeAll(async () => {
    service = await startSeeded();
    home = service.home;
    context = await openContext(open.browser, service.url);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
  });

  test("a person finds two runs in the list and reads how they differ", async () => {
    const { page, errors } = await openPage(context, `${home}/runs`);
    for (const box of await page.getByRole("checkbox", { name: /^Compare .*(7be20c4|9d03e71)/ }).all())
      await box.check();
    await page
      .getByRole("button", { name: "Compare" })
      .or(page.getByRole("link", { name: "Compare" }))
      .first()
      .click();
    await page.waitForURL("**/runs/compare?*");
    expect(new URL(page.url()).searchParams.get("first")).toBe(service.firstRunId);
    expect(new URL(page.url()).searchParams.get("second")).toBe(service.runId);
    await isShown(page);
    const main = await page.locator("main").innerText();
    for (const text of ["main @ 7be20c4", "shorter greeting @ 9d03e71", "Books a room"]) expect(main).toContain(text);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a person reads two transcripts of a test side by side, from where they first differ, and passes on the address", async () => {
    const { page, errors } = await openPage(
      context,
      `${home}/runs/compare?first=${service.firstRunId}&second=${service.runId}`,
    );
    const tests = page.getByRole("table", { name: "Tests that both runs played" });
    const sideBySide = (test: RegExp) =>
      tests.getByRole("row", { name: test }).getByRole("link", { name: "side by side" }).click();
    await sideBySide(/Books a room/);
    const transcripts = page.getByRole("table", { name: "Transcripts side by side" });
    await transcripts.waitFor();
    await page.getByText(/^They first differ in row \d+\.$/).waitFor();
    await page.getByRole("button", { name: "Show it" }).click();
    const focused = await page.evaluate<string>("document.activeElement.innerText");
    expect(focused).toContain("Agent");
    await sideBySide(/Admits that the booking failed/);
    await transcripts.getByText("503: the booking system is down").first().waitFor();
    await page.getByText("Both said the same, and the tools answered the same.").waitFor();
    const pair = new URL(page.url()).searchParams.get("pair");
    const other = page.getByLabel("Pair");
    await other.selectOption({ index: 1 });
    await page.waitForURL((url) => url.searchParams.get("pair") !== pair);
    const { page: shared } = await openPage(context, page.url());
    await shared.getByRole("table", { name: "Transcripts side by side" }).waitFor();
    expect(await shared.getByLabel("Pair").inputValue()).toBe(new URL(page.url()).searchParams.get("pair"));
    expect(errors).toEqual([]);
    await shared.close();
    await page.close();
  });

  test("a call that was not imported says why, and a second try imports it when the platform has it", async () => {
    const { page, errors } = await openPage(context, `${home}/monitoring`);
    const row = page.getByRole("table", { name: "Calls that were not imported" }).locator("tbody tr").first();
    const call = await row.locator("code").innerText();
    await row.getByRole("button", { name: "Try now" }).click();
    await row.getByRole("alert").waitFor();
    service.platform.holdTranscript(call, 0);
    await row.getByRole("button", { name: "Try now" }).click();
    await row.getByText("Imported now.").waitFor();
    await row.getByRole("link", { name: "Open" }).click();
    await page.getByRole("treegrid").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a key works until a person revokes it by its name", async () => {
    const { secret } = await service.admin.keys.create({ name: "laptop" });
    const { page, errors } = await openPage(context, `/o/${service.organizationId}/settings/keys`);
    const row = page.getByRole("table", { name: "API keys" }).getByRole("row", { name: /laptop/ });
    await row.getByRole("button", { name: "Revoke" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Revoke key" }).isEnabled()).toBe(false);
    await service.clientOf(secret).organization.get();
    await dialog.getByLabel(/to confirm/).fill("laptop");
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await dialog.waitFor({ state: "detached" });
    await row.waitFor({ state: "detached" });
    await expect(service.clientOf(secret).organization.get()).rejects.toMatchObject({ status: 401 });
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the keyboard alone finds a conversation and walks its turns", async () => {
    const { page, errors } = await openPage(context, home);
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.waitForURL("**/conversations");
    await isShown(page);
    await page.keyboard.press("/");
    await page.keyboard.type("weather");
    await page.waitForURL("**search=weather*");
    await isShown(page);
    await tabTo(page, /weather/i);
    await page.keyboard.press("Enter");
    const timeline = page.getByRole("treegrid");
    await timeline.waitFor();
    await tabToTurn();
    const first = await turn();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await turn()).toBe(first + 2);
    await page.waitForURL(`**turn=${first + 2}*`);
    await page.keyboard.press("ArrowUp");
    expect(await turn()).toBe(first + 1);
    expect(errors).toEqual([]);
    await page.close();

    async function turn(): Promise<number> {
      const row = (await page.evaluate("document.activeElement.dataset.row ?? ''")) as string;
      return Number(/^turn (\d+)$/.exec(row)?.[1] ?? Number.NaN);
    }

    async function tabToTurn(): Promise<void> {
      for (let stop = 0; stop < 40 && Number.isNaN(await turn()); stop++) await page.keyboard.press("Tab");
    }
  });

  test("the conversations beside one, and a filter that is on or off, survive a reload", async () => {
    const { page, errors } = await openPage(context, `${home}/conversations?withoutAgent=true&source=simulation`);
    await page.reload();
    await isShown(page);
    expect(new URL(page.url()).searchParams.get("withoutAgent")).toBe("true");
    await page.goto(`${home}/conversations?agent=Concierge`);
    await isShown(page);
    await page.locator("tbody").getByRole("link").first().click();
    await page.getByRole("treegrid").waitFor();
    await page.reload();
    await isShown(page);
    await page.getByRole("button", { name: "Next conversation" }).click();
    await page.getByRole("treegrid").waitFor();
    await isShown(page);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toMatch(/^Concierge/);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a refused grading stays on the page in the service's words until it is asked for again", async () => {
    const { simulations } = await service.client.runs.simulations({ runId: service.runId as never });
    const { page, errors } = await openPage(context, `${home}/runs/${service.runId}/simulations/${simulations[0]!.id}`);
    const message = "The service is being restarted. Ask again in a minute.";
    await page.route("**/regrade*", (route) => route.fulfill({ status: 503, json: { error: "unavailable", message } }));
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Grade again" }).click();
    const failure = page.locator("main").getByRole("alert").filter({ hasText: message });
    await failure.waitFor();
    await page.unroute("**/regrade*");
    await failure.getByRole("button", { name: "Ask again" }).click();
    await failure.waitFor({ state: "detached" });
    await page.getByText("The service grades the simulation again.").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a stale edit of a grader is merged part by part", async () => {
    const { grader } = await service.client.graders.create({
      name: "Polite",
      definition: { kind: "llm", criterion: "The agent is polite." },
    });
    const { page, errors } = await openPage(context, `${home}/graders/${grader.id}`);
    await page.getByLabel("Passes when (optional)").fill("It greets the caller.");
    await service.client.graders.edit({
      graderId: grader.id,
      expectedVersionId: grader.versionId,
      definition: { kind: "llm", criterion: "The agent is very polite." },
    });
    await page.getByRole("button", { name: "Save as version 2" }).click();
    const merge = page.getByRole("dialog");
    await merge.getByText("Taken over without asking").waitFor();
    await merge.getByRole("button", { name: "Save as version 3" }).click();
    await merge.waitFor({ state: "detached" });
    const { grader: saved } = await service.client.graders.get({ graderId: grader.id });
    expect(saved).toMatchObject({
      version: 3,
      definition: { criterion: "The agent is very polite.", passesWhen: "It greets the caller." },
    });
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a run says which key started it, and its plan what it costs; a cost that is no amount is refused beside its field", async () => {
    const { page, errors } = await openPage(context, `${home}/runs/${service.runId}`);
    await page.getByText(/started with the key/).waitFor();
    await page.getByRole("link", { name: "Run again" }).click();
    await page.getByText(/^about [\d.]+ m?s$/).waitFor();
    await page.getByLabel("Cost of the judge at most").fill("ten");
    await page.getByText(/Write an amount as digits/).waitFor();
    expect(await page.getByRole("button", { name: /^Start/ }).isEnabled()).toBe(false);
    expect(errors).toEqual([]);
    await page.close();
  });
});
