import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, startChatAgent } from "../../support/chat-agent.ts";
import { answers, fakeEndpoint } from "../../support/language-model/fake-endpoint.ts";
import { passesWithProof } from "../../support/language-model/judge-replies.ts";
import { chatConnection, settled, startRun, versionsOf } from "../../support/runs.ts";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { addInspection, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";

describeInBrowser("a judge", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let home: string;
  let model: Awaited<ReturnType<typeof fakeEndpoint>>;
  let agent: ChatAgent;
  beforeAll(async () => {
    model = await fakeEndpoint(answers(passesWithProof));
    const { baseUrl, apiKey, model: name } = model.settings;
    service = await startEmpty({
      SVC_LLM_BASE_URL: baseUrl,
      SVC_LLM_API_KEY: apiKey,
      SVC_LLM_MODEL: name,
      SVC_LLM_PRICE_INPUT: "1",
      SVC_LLM_PRICE_OUTPUT: "1",
    });
    agent = await startChatAgent(() => ({ message: "Good morning, the Grand Hotel has a room for you." }));
    const { organization } = await service.admin.organization.get();
    home = `/o/${organization.id}/p/${service.project.slug}`;
    context = await openContext(open.browser, service.url);
    await addInspection(context);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
    agent.stop();
    model.stop();
  });

  test("a judge is calibrated with one click, and its page shows how often it is right and where it is wrong", async () => {
    const { page, errors } = await openPage(context, `${home}/graders`);
    await page.getByRole("button", { name: "Calibrate the judge" }).click();
    const rows = page.getByRole("table", { name: "Calibrations" }).locator("tbody tr");
    await rows.first().waitFor({ timeout: 60_000 });
    expect(await rows.first().innerText()).toMatch(
      /fake-1.*\d+%\n\d+ of \d+,\n\d+% to \d+%.*\n-?[\d.]+\n-?[\d.]+ to [\d.]+\n/s,
    );
    await page.getByText(/that the newest judge got wrong/).click();
    await page
      .getByText(/^The label is failed: /)
      .first()
      .waitFor();
    if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/calibration.png" });
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/calibration-narrow.png" });
    expect([...(await violationsOf(page)), ...(await sidewaysScrollOf(page))]).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a judge shows its votes, their reasoning and the reply as it was sent below its verdict", async () => {
    const testVersions = await versionsOf(service.client, [
      {
        scenario: "The caller asks for a room.\n\nSays: Good morning, do you have a room?",
        behaviors: ["is friendly to the caller"],
      },
    ]);
    const run = await startRun(service.client, {
      testVersions,
      caller: "scripted",
      ...(await chatConnection(service.client, agent.url)),
    });
    await settled(service.client, run.id);
    const { simulations } = await service.client.runs.simulations({ runId: run.id });
    const { page, errors } = await openPage(context, `${home}/runs/${run.id}/simulations/${simulations[0]!.id}`);
    await page
      .getByText(/votes? of the judge/)
      .first()
      .click();
    await page.getByText("It is pass.").first().waitFor();
    await page.getByText("Reply as it was sent").first().click();
    await page.getByText('"replies"').first().waitFor();
    if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/votes.png" });
    expect(await violationsOf(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });
});
