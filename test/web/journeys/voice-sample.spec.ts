import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { addInspection, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";

describeInBrowser("a persona's voice", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let personas: string;
  beforeAll(async () => {
    service = await startEmpty();
    const { organization } = await service.admin.organization.get();
    personas = `/o/${organization.id}/p/${service.project.slug}/personas`;
    context = await openContext(open.browser, service.url);
    await addInspection(context);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
  });

  const secondsOf = (page: Page) => page.evaluate("document.querySelector('audio').currentTime") as Promise<number>;

  test("a persona's voice is heard with one click, and stops with the next", async () => {
    const { persona } = await service.client.personas.create({ name: "Hurried", traits: { pace: "fast" } });
    const { page, errors } = await openPage(context, `${personas}/${persona.id}`);
    await page.getByRole("button", { name: "Play a sentence" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await until("the sentence plays", async () => (await secondsOf(page)) > 0);
    if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/voice-sample.png" });
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Play a sentence" }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a persona's voice says in the service's words why it cannot be heard", async () => {
    const { persona } = await service.client.personas.create({
      name: "Provided",
      models: { tts: { provider: "elevenlabs", model: "eleven_turbo_v2_5" } },
    });
    const { page } = await openPage(context, `${personas}/${persona.id}`);
    await page.getByRole("button", { name: "Play a sentence" }).click();
    const refused: unknown = await service.client.personas
      .voiceSample({ personaId: persona.id })
      .catch((error: unknown) => error);
    await page
      .getByRole("alert")
      .getByText((refused as Error).message)
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.close();
  });
});
