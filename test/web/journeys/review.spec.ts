import { webFolder } from "@svc/web";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judgingGrader, queued, say, startReviewed } from "../../support/review.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";

describeInBrowser("the review queue", (open) => {
  let server: Awaited<ReturnType<typeof startReviewed>>;
  let context: BrowserContext;
  let home: string;
  beforeAll(async () => {
    server = await startReviewed({ webFolder: await webFolder(), checkAnswers: false });
    await judgingGrader(server.client, "Polite");
    const { organization } = await server.admin.organization.get();
    home = `/o/${organization.id}/p/${server.project.slug}`;
    context = await openContext(open.browser, server.url);
  });
  afterAll(async () => {
    await context?.close();
    await server?.stop();
  });

  test("the review queue is turned on with one click, and worked off by the keyboard alone: labels, a note, back and forth, a skip", async () => {
    const { client } = server;
    const { page, errors } = await openPage(context, `${home}/review`);
    await page.getByRole("heading", { name: "Find out whether the judge is right" }).waitFor();
    await page.getByRole("button", { name: "Turn on the queue" }).click();
    await page.getByRole("heading", { name: "Nothing is left to label for you" }).waitFor();
    await client.review.configure({ randomShare: 0, sources: ["random", "disagreement", "low_confidence"] });
    await say(server, client, "doubt");
    await say(server, client, "split");
    await say(server, client, "doubt", "doubt");
    const ids = (await queued(client, 4)).map(({ id }) => id);
    const item = (id: string) => client.review.get({ reviewItemId: id });
    const isShown = (id: string) =>
      until(`${id} is shown`, () => new URL(page.url()).searchParams.get("item") === id).then(() =>
        page.getByRole("group", { name: "What is right?" }).waitFor(),
      );

    await page.getByRole("button", { name: "Look again" }).click();
    await isShown(ids[0]!);
    await page.getByText(/The judge decided “Polite” with a confidence of 40 %/).waitFor();
    await page.getByText("Admin has it in work").waitFor();
    await page.keyboard.press("p");
    await isShown(ids[1]!);
    expect(await item(ids[0]!)).toMatchObject({
      item: { state: "done" },
      grades: [{ labels: [{ verdict: "passed", note: null }] }],
    });
    await page.getByText("3 to label").waitFor();

    // While the reviewer writes a note, letters are text and not shortcuts.
    await page.keyboard.press("n");
    await page.keyboard.type("just rude, skip the apology");
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    await isShown(ids[2]!);
    expect((await item(ids[1]!)).grades[0]!.labels).toMatchObject([
      { verdict: "failed", note: "just rude, skip the apology" },
    ]);

    await page.keyboard.press("j");
    await isShown(ids[3]!);
    await page.keyboard.press("k");
    await isShown(ids[2]!);
    await page.keyboard.press("s");
    await isShown(ids[3]!);
    expect((await item(ids[2]!)).item.state).toBe("skipped");
    await page.keyboard.press("u");
    await page.getByRole("heading", { name: "Nothing is left to label for you" }).waitFor();
    expect((await item(ids[3]!)).grades[0]!.labels).toMatchObject([{ verdict: "unsure" }]);
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Review: passed, failed, unsure").waitFor();
    await page.keyboard.press("Escape");
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the review queue has its settings in a form that refuses what is no share, and says what it saved", async () => {
    const { page, errors } = await openPage(context, `${home}/review?view=settings`);
    const percent = page.getByLabel("Percent of graded conversations");
    await percent.fill("120");
    await page.getByText("Write a number from 0 to 100.").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await percent.fill("5");
    await page.getByLabel("Percent of the items that ask for two people").fill("20");
    await page.getByLabel("Alert", { exact: true }).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Conversations come into the queue from now on.").waitFor();
    expect((await server.client.review.queue()).queue).toMatchObject({
      randomShare: 0.05,
      secondPersonShare: 0.2,
      sources: ["random", "disagreement", "low_confidence"],
    });
    expect(errors).toEqual([]);
    await page.close();
  });
});
