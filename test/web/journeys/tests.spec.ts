import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { join, PASSWORD } from "../../support/people.ts";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage, signIn } from "../support/browsing.ts";
import { tabTo } from "../support/keyboard.ts";
import { startEmpty } from "../support/seed.ts";

describeInBrowser("the editor of tests", (open) => {
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

  const behavior = (page: Page, number: number) => page.getByLabel(`Behavior ${number}`, { exact: true });

  test("a person writes a test, reads who decides each behavior while typing, and saves it", async () => {
    const { page, errors } = await openPage(context, `${home}/tests/new`);
    await page.getByLabel("Name").fill("Books a room");
    await page.getByLabel("Scenario").fill("The caller asks for a room on Friday.");
    await behavior(page, 1).fill("calls book_room with nights=2");
    await page.getByText("Decided by code: The agent calls").waitFor();
    await behavior(page, 1).press("Enter");
    await behavior(page, 2).pressSequentially("says /(unclosed/");
    await page
      .getByText(/is not closed/)
      .first()
      .waitFor();
    await behavior(page, 2).fill("is friendly");
    await page.getByText("It would not be graded.").waitFor();
    await page.getByRole("button", { name: "Create test" }).click();
    await page.waitForURL(/\/tests\/(?!new)/);
    await page.getByText("version 1", { exact: true }).first().waitFor();
    const { items: tests } = await service.client.tests.list();
    expect(tests.map(({ name, expected_behaviors }) => ({ name, expected_behaviors }))).toEqual([
      { name: "Books a room", expected_behaviors: ["calls book_room with nights=2", "is friendly"] },
    ]);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a stale edit shows both sides and saves them together", async () => {
    const stored = await service.client.tests.create({
      name: "Cancels a booking",
      scenario: "The caller cancels.",
      expected_behaviors: ["calls cancel_booking", "never calls refund"],
    });
    const { page, errors } = await openPage(context, `${home}/tests/${stored.id}`);
    await behavior(page, 2).fill("never calls book_room");
    await service.client.tests.edit({
      testId: stored.id,
      expected_version_id: stored.version_id,
      scenario: "The caller cancels by phone.",
      expected_behaviors: ["calls cancel_booking", "never calls pay"],
    });
    await page.getByRole("button", { name: /^Save/ }).click();
    const merge = page.getByRole("dialog");
    await merge.getByText("Taken over without asking").waitFor();
    await merge
      .getByRole("radio", { name: /^Yours/ })
      .first()
      .check();
    await merge.getByRole("button", { name: "Save as version 3" }).click();
    await merge.waitFor({ state: "detached" });
    await page.getByText("version 3", { exact: true }).first().waitFor();
    expect(await service.client.tests.get({ testId: stored.id })).toMatchObject({
      version: 3,
      scenario: "The caller cancels by phone.",
      expected_behaviors: ["calls cancel_booking", "never calls book_room"],
    });
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a person whose session ends signs in on the same page; the text is still there, and a refused save is repeated", async () => {
    const { email } = await join(service.url, service.admin, "ben@acme.test", "member");
    const other = await openContext(open.browser, service.url, { signedIn: false });
    await signIn(other, service.url, { email, password: PASSWORD });
    const { page, errors } = await openPage(other, `${home}/tests/new`);
    await page.getByLabel("Name").fill("Asks for the name");
    await page.getByLabel("Scenario").fill("The caller gives no name.");
    await behavior(page, 1).fill("calls find_guest");
    const address = page.url();
    await other.request.post("/api/auth/revoke-sessions", { headers: { origin: service.url } });
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.getByLabel("Password").fill("wrong");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.getByRole("alert").first().waitFor();
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(page.url()).toBe(address);
    expect(await page.getByLabel("Name").inputValue()).toBe("Asks for the name");
    expect(await behavior(page, 1).inputValue()).toBe("calls find_guest");
    // The session ends once more, just before the test is created.
    const created: number[] = [];
    await page.route("**/api/tests", async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      if (created.length === 0)
        await other.request.post("/api/auth/revoke-sessions", { headers: { origin: service.url } });
      const answer = await route.fetch();
      created.push(answer.status());
      await route.fulfill({ response: answer });
    });
    await page.getByRole("button", { name: "Create test" }).click();
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/tests\/(?!new)/);
    expect(created).toEqual([401, 201]);
    expect(errors).toEqual([]);
    await other.close();
  });

  test("the keyboard alone writes a test and saves it", async () => {
    const { page, errors } = await openPage(context, home);
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.waitForURL(`**${home}/tests`);
    await tabTo(page, "New test");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/tests/new");
    await tabTo(page, "Name");
    await page.keyboard.type("By keyboard");
    await tabTo(page, "Scenario");
    await page.keyboard.type("The caller hangs up.");
    await tabTo(page, "Behavior 1");
    await page.keyboard.type("ends the call");
    await page.keyboard.press("Enter");
    await page.keyboard.type("never calls refund");
    await page.keyboard.press("Control+s");
    await page.waitForURL(/\/tests\/(?!new)/);
    const { items: tests } = await service.client.tests.list();
    expect(tests.find(({ name }) => name === "By keyboard")?.expected_behaviors).toEqual([
      "ends the call",
      "never calls refund",
    ]);
    expect(errors).toEqual([]);
    await page.close();
  });
});
