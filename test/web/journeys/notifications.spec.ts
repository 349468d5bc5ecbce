import type { BrowserContext, Locator, Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../../support/receiver.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { freshName } from "../../support/world.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { tabTo } from "../support/keyboard.ts";
import { startEmpty } from "../support/seed.ts";

/** More attempts than the service makes for one delivery. */
const ATTEMPTS_MAX = 20;

describeInBrowser("notifications", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let receiver: Receiver;
  let home: string;
  /** The status with which the receiver answers. */
  let status = 204;
  beforeAll(async () => {
    receiver = await startReceiver((_, response) => void response.writeHead(status).end());
    service = await startEmpty({ SVC_OUTBOUND_PRIVATE: "true" });
    context = await openContext(open.browser, service.url);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { organization } = await service.admin.organization.get();
    home = `/o/${organization.id}/p/${service.project.slug}`;
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
    receiver.stop();
  });

  const makeKey = () => service.admin.keys.create({ name: freshName("key"), project_id: service.project.id });
  const rowOf = (page: Page, name: string): Locator =>
    page.getByRole("table", { name: "Destinations" }).getByRole("row", { name: new RegExp(name) });
  const openForm = async (page: Page, kind: string): Promise<void> => {
    await page.getByRole("button", { name: "New destination" }).click();
    await page.getByRole("menuitem", { name: kind }).click();
  };
  const choose = async (page: Page, row: Locator, item: string): Promise<void> => {
    await row.getByRole("button", { name: /^More about/ }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };

  test("a person is told in Slack when a run ends after at most five clicks from the project's start page", async () => {
    const { page, errors } = await openPage(context, home);
    await page.evaluate("globalThis.clicks = 0; addEventListener('click', () => globalThis.clicks++, true)");
    await page.getByRole("navigation").getByRole("link", { name: "Notifications" }).click();
    await page.getByText("The service tells a program, a channel or a person when a run has ended").waitFor();
    await page.getByRole("button", { name: "Slack" }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.insertText(`${receiver.url}/T000/B000/topsecret`);
    await page.getByRole("button", { name: "Create destination" }).click();
    const row = rowOf(page, "Slack");
    await row.getByText("Nothing sent yet").waitFor();
    await row.getByRole("button", { name: "Send a test" }).click();
    await row.getByText(/The receiver accepted a test with the status 204/).waitFor();
    expect(await page.evaluate("globalThis.clicks")).toBeLessThanOrEqual(5);
    expect(receiver.received.at(-1)!.body).toContain("A test of the destination Slack");
    const { destinations } = await service.client.destinations.list();
    expect(destinations).toMatchObject([{ kind: "slack", eventTypes: ["run.completed"], agents: [] }]);
    expect(await page.locator("main").innerText()).not.toContain("topsecret");
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the keyboard alone makes a webhook, and the secret that it shows once verifies its events", async () => {
    const { page, errors } = await openPage(context, `${home}/notifications`);
    await tabTo(page, "New destination");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Webhook" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    // The field for the address has the focus.
    await page.keyboard.insertText(receiver.url);
    await tabTo(page, "Name");
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("Gate");
    await tabTo(page, "key.created");
    await page.keyboard.press("Space");
    await tabTo(page, "Create destination");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "The secret of “Gate”" });
    await dialog.waitFor();
    await dialog.getByRole("button", { name: "Copy the secret" }).click();
    const secret = String(await page.evaluate("navigator.clipboard.readText()"));
    await dialog.getByText('from "standardwebhooks"').waitFor();
    await dialog.getByRole("tab", { name: "Python" }).click();
    await dialog.getByText("from standardwebhooks.webhooks import Webhook").waitFor();
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByRole("button", { name: "I have kept it" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(secret);

    await makeKey();
    const event = await until("the event has arrived", () =>
      receiver.received.find(({ headers }) => headers["webhook-signature"] !== undefined),
    );
    expect(new Webhook(secret).verify(event.body, event.headers as Record<string, string>)).toEqual(event.event);
    await rowOf(page, "Gate").getByText("Working").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a receiver that refuses is named with its reason, can be paused, and gets its failed events when a person sends them again", async () => {
    const { destination } = await service.client.destinations.create({
      name: "Broken",
      kind: "webhook",
      url: receiver.url,
      eventTypes: ["key.created"],
    });
    const destinationId = destination.id;
    status = 500;
    await makeKey();
    await until("the last attempt has failed", async () => {
      // When the pause ends, the service also makes the next attempt at once.
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        const { deliveries } = await service.client.destinations.deliveries({ destinationId });
        if (deliveries[0]?.state === "failed") return true;
        await service.client.destinations.edit({ destinationId, paused: false });
      }
      return false;
    });
    const { page, errors } = await openPage(context, `${home}/notifications`);
    const row = rowOf(page, "Broken");
    await row.getByText("Failing").waitFor();
    await row.getByText(/The receiver answered with the status 500\./).waitFor();
    await row.getByRole("button", { name: "Send a test" }).click();
    await row.getByText(/The test was not accepted: The receiver answered with the status 500\./).waitFor();

    await choose(page, row, "Pause");
    await row.getByText("Paused").waitFor();
    await choose(page, row, "Resume");
    await row.getByText("Paused").waitFor({ state: "detached" });

    status = 204;
    await row.getByRole("link", { name: "1 event not sent" }).click();
    const deliveries = page.getByRole("table", { name: "Deliveries to Broken" });
    await deliveries.getByRole("button", { name: "Send again" }).click();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await deliveries.getByText("Delivered").waitFor();
    await row.getByText("Working").waitFor();

    await choose(page, row, "Delete");
    await page.getByRole("button", { name: "Delete destination" }).click();
    await row.waitFor({ state: "detached" });
    expect(errors).toEqual([]);
    await page.close();
  });

  test("all failed events since a time are sent again at once", async () => {
    status = 500;
    const { destination } = await service.client.destinations.create({
      name: "Outage",
      kind: "webhook",
      url: receiver.url,
      eventTypes: ["key.created"],
    });
    const destinationId = destination.id;
    for (const _ of [1, 2]) await makeKey();
    await until("both events have failed", async () => {
      await service.client.destinations.edit({ destinationId, paused: false });
      return (await service.client.destinations.get({ destinationId })).destination.failedCount === 2;
    });
    status = 204;
    const { page, errors } = await openPage(context, `${home}/notifications?destination=${destinationId}&state=failed`);
    await page.getByRole("button", { name: "Send all again…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click();
    await page.getByText("Sending 2 events again.").waitFor();
    await page.getByRole("heading", { name: "No delivery is failed" }).waitFor();
    await rowOf(page, "Outage").getByText("Working").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a channel quotes conversations from when a person says so until a person says otherwise, and a webhook never does", async () => {
    const { page, errors } = await openPage(context, `${home}/notifications`);
    await openForm(page, "Slack");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address of Slack’s incoming webhook").fill(`${receiver.url}/T000/B000/quoting`);
    await dialog.getByLabel("Name").fill("Quoting");
    await dialog.getByRole("checkbox", { name: "Quote conversations" }).check();
    await dialog.getByRole("button", { name: "Create destination" }).click();
    const row = rowOf(page, "Quoting");
    await row.getByText("with quotes of conversations").waitFor();
    await choose(page, row, "Edit");
    await dialog.getByRole("checkbox", { name: "Quote conversations" }).uncheck();
    await dialog.getByRole("button", { name: "Save destination" }).click();
    await row.getByText("with quotes of conversations").waitFor({ state: "detached" });
    const { destinations } = await service.client.destinations.list();
    expect(destinations.find(({ name }) => name === "Quoting")).toMatchObject({ quotes: false, kind: "slack" });
    await openForm(page, "Webhook");
    await dialog.getByRole("checkbox", { name: "run.completed" }).waitFor();
    expect(await dialog.getByRole("checkbox", { name: "Quote conversations" }).count()).toBe(0);
    await page.keyboard.press("Escape");

    const { organization } = await service.admin.organization.get();
    await page.goto(new URL(`/o/${organization.id}/settings/audit?operation=destinations`, page.url()).href);
    await page.getByText("quotes: true").waitFor();
    await page.getByText("quotes: false").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("what happened is listed with links, and each link opens its page", async () => {
    const { name } = await makeKey();
    const { page, errors } = await openPage(context, `${home}/notifications`);
    await page.getByRole("link", { name: `A new API key: ${name}` }).click();
    await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Event", exact: true }).click();
    await page.getByRole("button", { name: "run.completed" }).click();
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a refused form says what is wrong beside its field, and keeps what was typed", async () => {
    const { page, errors } = await openPage(context, `${home}/notifications`);
    await service.client.destinations.create({
      name: "Taken",
      kind: "webhook",
      url: receiver.url,
      eventTypes: ["run.completed"],
    });
    await openForm(page, "Webhook");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address", { exact: true }).fill("ftp://example.com/");
    await dialog.getByRole("button", { name: "Create destination" }).click();
    await dialog.getByText("Send an address that begins with https:// or http://.").waitFor();
    await dialog.getByLabel("Address", { exact: true }).fill(receiver.url);
    await dialog.getByLabel("Name").fill("Taken");
    await dialog.getByRole("button", { name: "Create destination" }).click();
    await dialog.getByText(/has a destination with this name/).waitFor();
    await dialog.getByRole("checkbox", { name: "run.completed" }).uncheck();
    await dialog.getByRole("button", { name: "Create destination" }).click();
    await dialog.getByText("Choose at least one type of event.").waitFor();
    await dialog.getByRole("checkbox", { name: "run.completed" }).check();
    await dialog.getByLabel("Name").fill("Free");
    await dialog.getByRole("button", { name: "Create destination" }).click();
    await page.getByRole("button", { name: "I have kept it" }).click();
    await openForm(page, "Mail");
    expect(await dialog.getByLabel("E-mail address").inputValue()).toBe("admin@acme.test");
    await dialog.getByRole("button", { name: "Create destination" }).click();
    await dialog.getByText(/This service sends no mail\./).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});
