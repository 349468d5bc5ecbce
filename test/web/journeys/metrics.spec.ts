import { readFile } from "node:fs/promises";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { isShown, newPage, openContext } from "../support/browsing.ts";
import { startEmpty } from "../support/seed.ts";
import { sendTwentyAgents } from "../support/twenty-agents.ts";

const PNG = "89504e470d0a1a0a";

describeInBrowser("the metrics of twenty agents", (open) => {
  let service: TestServer;
  let home: string;
  let context: BrowserContext;
  beforeAll(async () => {
    service = await startEmpty();
    await sendTwentyAgents(service.client);
    await service.conversationsRead();
    const { organization } = await service.admin.organization.get();
    home = `/o/${organization.id}/p/${service.project.slug}`;
    context = await openContext(open.browser, service.url);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
  });

  async function shown(path: string): Promise<{ page: Page; errors: string[] }> {
    const opened = await newPage(context);
    await opened.page.goto(home + path);
    await isShown(opened.page);
    return opened;
  }

  const drawn = (page: Page) => page.getByRole("list", { name: "Drawn lines" }).getByRole("button");
  const searchOf = (page: Page) => new URL(page.url()).searchParams;

  test("with the keyboard alone, one agent of twenty is found, seen alone, and all are seen again", async () => {
    const { page, errors } = await shown("/metrics");
    expect(await drawn(page).count()).toBe(5);
    await page.keyboard.press("/");
    await page.keyboard.type("agent-17");
    await page.keyboard.press("Enter");
    await page.waitForURL(/agent=support\.agent-17/);
    await isShown(page);
    expect(await drawn(page).locator("bdi").allInnerTexts()).toEqual(["support…gent-17"]);
    await drawn(page).focus();
    await page.keyboard.press("Enter");
    await until("the lines change", async () => (await drawn(page).count()) === 5);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a checkbox draws an agent beside the others, at most eight, and the address holds them", async () => {
    const { page } = await shown("/metrics?rows=all");
    const free = page.getByRole("checkbox", { checked: false });
    while ((await drawn(page).count()) < 8) {
      const before = await drawn(page).count();
      await free.first().click();
      await until("the lines change", async () => (await drawn(page).count()) === before + 1);
    }
    expect(await free.first().isDisabled()).toBe(true);
    const swatches = await drawn(page).locator("line").all();
    const colors = await Promise.all(swatches.map((swatch) => swatch.getAttribute("style")));
    expect(new Set(colors).size).toBe(8);
    await page.reload();
    await isShown(page);
    expect(await drawn(page).count()).toBe(8);
    await page.close();
  });

  test("a point opens the conversations of its agent, source and day, the slowest first", async () => {
    const { page } = await shown("/metrics?agent=support.agent-1");
    const plot = page.getByRole("group", { name: "Time to answer of support.agent-1" });
    await plot.focus();
    await page.keyboard.press("ArrowLeft");
    await plot.getByRole("status").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/conversations/);
    const search = searchOf(page);
    expect([search.get("agent"), search.get("source"), search.get("sort")]).toEqual([
      "support.agent-1",
      "production",
      "-slowest",
    ]);
    const today = new Date(search.get("from")!);
    expect(Date.parse(search.get("to")!) - today.getTime()).toBeLessThanOrEqual(25 * 3_600_000);
    await page.close();
  });

  test("among several lines, a click opens the agent whose point is nearest, and the values stand beside the axis", async () => {
    const { page } = await shown("/metrics");
    const plot = page.getByRole("group", { name: /^Time to answer, Median/ });
    const box = (await plot.boundingBox())!;
    for (const share of [0.2, 0.5, 0.9]) {
      await page.mouse.move(box.x + box.width * share, box.y + 90);
      const readout = (await plot.getByRole("status").boundingBox())!;
      const canvas = (await plot.locator(".u-over").boundingBox())!;
      expect(readout.x).toBeGreaterThanOrEqual(canvas.x);
    }
    const nearest = await plot.locator("[data-nearest=true] bdi").innerText();
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForURL(/conversations/);
    expect(searchOf(page).get("agent")).toBe(nearest);
    await page.close();
  });

  test("a range of days is in the address, and a wrong one is refused beside its field", async () => {
    const { page } = await shown("/metrics");
    const days = async (from: string, to: string) => {
      await page.getByLabel("First day").fill(from);
      await page.getByLabel("Last day").fill(to);
      await page.getByRole("button", { name: "Show", exact: true }).click();
    };
    await page.getByRole("button", { name: "Choose days" }).click();
    await days("2026-11-09", "2026-11-01");
    await page.getByText("The first day is after the last one.").waitFor();
    await days("2026-11-01", "2026-11-09");
    await page.waitForURL(/from=2026-11-01/);
    expect(searchOf(page).get("to")).toBe("2026-11-09");
    await page.close();
  });

  test("a plot is saved as CSV with all its values, and as a picture", async () => {
    const { page, errors } = await shown("/metrics");
    const save = async (item: string) => {
      await page.getByRole("button", { name: "Export Time to answer" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: item }).click(),
      ]);
      return { name: download.suggestedFilename(), content: await readFile(await download.path()) };
    };
    const csv = await save("Values as CSV");
    expect(csv.name).toMatch(/^svc-response_latency-\d{4}-\d\d-\d\d\.csv$/);
    const [head, ...rows] = csv.content.toString().trim().split("\r\n");
    expect(head).toBe("started_at,agent,version,measure,unit,samples,p50,p90,p95,mean");
    expect(rows.length).toBeGreaterThan(10);
    const picture = await save("Picture as PNG");
    expect([picture.name.endsWith(".png"), picture.content.subarray(0, 8).toString("hex")]).toEqual([true, PNG]);
    expect(errors).toEqual([]);
    await page.close();
  });
});
