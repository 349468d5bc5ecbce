import { readFileSync } from "node:fs";
import type { Trace } from "@svc/contract";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drawsOfCases } from "../../support/long-form.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { addInspection, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";
import { shiftedCapture } from "../support/shifted-captures.ts";
import { keepSound, soundOfTrace } from "../support/sound.ts";

const casesOf = drawsOfCases();

describeInBrowser("a recording", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let conversations: string;
  let trace: Trace;
  beforeAll(async () => {
    service = await startEmpty();
    const endMs = Date.now() - 60_000;
    for (const name of ["recorded", "not kept"])
      for (const body of shiftedCapture("py-1.8.9-voice", { name, agentName: "Clinic", endMs }))
        await service.client.traces.ingest(body);
    await service.conversationsRead();
    const { traces } = await service.client.traces.list();
    ({ trace } = await keepSound(service, traces[0]!.traceId));
    await keepSound(service, traces[1]!.traceId, Buffer.from("no sound"));
    const { organization } = await service.admin.organization.get();
    conversations = `/o/${organization.id}/p/${service.project.slug}/conversations`;
    context = await openContext(open.browser, service.url);
    await addInspection(context);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
  });

  const openConversation = async (person = context) => {
    const opened = await openPage(person, `${conversations}/${trace.traceId}`);
    const player = opened.page.getByRole("region", { name: "Recording" });
    await player.getByRole("button", { name: "Play", exact: true }).waitFor();
    return { ...opened, player };
  };
  const timeOf = (page: Page) => page.evaluate("document.querySelector('audio').currentTime") as Promise<number>;
  const isPaused = (page: Page) => page.evaluate("document.querySelector('audio').paused") as Promise<boolean>;
  const heardTurn = (page: Page) => page.locator("[role=row][aria-current]").getAttribute("data-row");
  const startOf = (turn: number) => {
    const { startedAt } = trace.speech.find(({ turnIndex }) => turnIndex === turn)!;
    return (Date.parse(startedAt) - Date.parse(trace.startedAt)) / 1_000;
  };
  const spoken = () => [...new Set(trace.speech.flatMap(({ turnIndex }) => turnIndex ?? []))];

  test("a recording plays, marks the turn that is heard, and pauses", async () => {
    const { page, errors, player } = await openConversation();
    await player.getByRole("button", { name: "Play", exact: true }).click();
    await player.getByRole("button", { name: "Pause" }).waitFor();
    const first = spoken()[0]!;
    await until("the first turn is heard", async () => (await heardTurn(page)) === `turn ${first}`);
    await player.getByRole("button", { name: "Pause" }).click();
    expect(await isPaused(page)).toBe(true);
    expect(await timeOf(page)).toBeGreaterThan(0);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a recording plays from a turn, and moves there when a person selects another turn", async () => {
    const { page, errors } = await openConversation();
    const [, second, third] = spoken() as [number, number, number];
    await page
      .locator(`[data-row="turn ${second}"]`)
      .getByRole("button", { name: /^Play from/ })
      .click();
    await until("the sound plays", async () => !(await isPaused(page)) && (await timeOf(page)) > startOf(second));
    await until("its turn is marked", async () => (await heardTurn(page)) === `turn ${second}`);
    expect(await timeOf(page)).toBeLessThan(startOf(second) + 3);

    await page.locator(`[data-row="turn ${third}"]`).click();
    await until("the sound is at the other turn", async () => (await timeOf(page)) >= startOf(third) - 0.2);
    expect(await isPaused(page)).toBe(false);
    await page.keyboard.press(" ");
    await until("Space pauses", () => isPaused(page));
    await page.locator(`[data-row="turn ${third}"]`).focus();
    await page.keyboard.press("ArrowUp");
    await until("the sound is at the turn before", async () => (await timeOf(page)) < startOf(third) - 0.2);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a recording obeys the keyboard: Space, and arrows on the page and on the waveform", async () => {
    const { page, errors, player } = await openConversation();
    await page.keyboard.press(" ");
    await until("Space plays", async () => !(await isPaused(page)));
    await page.keyboard.press(" ");
    await until("Space pauses", () => isPaused(page));
    const at = await timeOf(page);
    await page.keyboard.press("ArrowRight");
    expect(await timeOf(page)).toBeCloseTo(at + 5, 1);
    await page.keyboard.press("ArrowLeft");
    expect(await timeOf(page)).toBeCloseTo(at, 1);

    const slider = player.getByRole("slider", { name: "Position in the recording" });
    await slider.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await timeOf(page)).toBeCloseTo(2, 1);
    expect(await slider.getAttribute("aria-valuetext")).toMatch(/^0:02\.0 of \d+:/);
    await slider.press("Enter");
    const { width } = (await slider.boundingBox())!;
    await slider.click({ position: { x: width / 2, y: 20 } });
    expect(await timeOf(page)).toBeGreaterThan(4);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a recording keeps its place on the other axis, and plays at another speed", async () => {
    const { page, errors, player } = await openConversation();
    await player.getByRole("slider").press("PageUp");
    await page.keyboard.press("x");
    await page.waitForURL("**axis=answer*");
    expect(await timeOf(page)).toBeCloseTo(5, 1);
    await player.getByRole("button", { name: /^Speed 1,/ }).click();
    expect(await page.evaluate("document.querySelector('audio').playbackRate")).toBe(1.25);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a recording is saved as the file that the service keeps", async () => {
    const { page, player } = await openConversation();
    const download = page.waitForEvent("download");
    await player.getByRole("link", { name: "Save the recording" }).click();
    const file = await (await download).path();
    expect(readFileSync(file).equals(soundOfTrace(trace))).toBe(true);
    await page.close();
  });

  test("a recording says why it is missing, and text conversations show no player", async () => {
    const { traces } = await service.client.traces.list();
    const other = traces.find(({ traceId }) => traceId !== trace.traceId)!;
    const { page, errors } = await openPage(context, `${conversations}/${other.traceId}`);
    await page.getByText("No recording. The recording is no WAV file").waitFor();
    expect(await page.getByRole("region", { name: "Recording" }).count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a recording says when it cannot be loaded, and plays once it can", async () => {
    const { page, player } = await openConversation();
    await page.route("**/recording?*", (route) => route.abort());
    await player.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByText("The recording could not be loaded.").waitFor();
    await page.unroute("**/recording?*");
    await player.getByRole("button", { name: "Play", exact: true }).click();
    await until("the sound plays", async () => !(await isPaused(page)) && (await timeOf(page)) > 0);
    expect(await page.getByText("The recording could not be loaded.").count()).toBe(0);
    await page.close();
  });

  const looks = (["wide", "narrow"] as const).flatMap((size) =>
    (["light", "dark"] as const).map((theme) => ({ size, theme })),
  );
  test.each(casesOf(looks, 1))(
    "a recording has no violation of accessibility: $size, $theme",
    async ({ size, theme }) => {
      const person = await openContext(open.browser, service.url, { size, theme });
      await addInspection(person);
      const { page, errors } = await openConversation(person);
      await page.keyboard.press(" ");
      await until("a turn is heard", async () => (await heardTurn(page)) !== null);
      expect([...(await violationsOf(page)), ...(await sidewaysScrollOf(page))]).toEqual([]);
      expect(errors).toEqual([]);
      if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: `pictures/recording-${size}-${theme}.png` });
      await person.close();
    },
  );
});
