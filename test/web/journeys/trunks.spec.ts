import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { phoneConnection, versionsOf } from "../../support/runs.ts";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { startEmpty } from "../support/seed.ts";

describeInBrowser("trunks", (open) => {
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

  const fill = (page: Page, label: string, text: string) =>
    page.getByRole("dialog").getByLabel(label, { exact: true }).fill(text);
  const choose = async (page: Page, item: string): Promise<void> => {
    await page.getByRole("button", { name: "More about Carrier" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };

  test("a person creates a trunk that calls nobody, allows a number, and deletes the trunk", async () => {
    const { page, errors } = await openPage(context, home);
    await page.getByRole("navigation").getByRole("link", { name: "Trunks" }).click();
    await page.getByText("The service calls only the numbers that its allow-list has").waitFor();
    await page.getByRole("button", { name: "New trunk" }).click();
    await fill(page, "Name", "Carrier");
    await fill(page, "Address", "sip:carrier@sip.example.com");
    await fill(page, "Caller id", "+493012345678");
    await fill(page, "User", "acme");
    await fill(page, "Password", "s3cr3t-pa55");
    await page.getByRole("button", { name: "Create trunk" }).click();
    await page.getByText(/^Send the host of the trunk/).waitFor();
    await fill(page, "Address", "sip.example.com");
    await page.getByRole("button", { name: "Create trunk" }).click();
    await page.getByText("Calls nobody").waitFor();

    await choose(page, "Edit");
    await fill(page, "Numbers that may be called", "+493087654321\n+1900*");
    await page.getByRole("button", { name: "Save trunk" }).click();
    await page.getByText("Entry 2: The service never calls premium numbers of North America.").waitFor();
    await fill(page, "Numbers that may be called", "+493087654321\n\n +4940* ");
    await fill(page, "Calls in 24 hours", "20");
    await page.getByRole("button", { name: "Save trunk" }).click();
    await page.getByText("0 of 20 calls in 24 hours").waitFor();
    const [trunk] = (await service.client.trunks.list({})).trunks;
    expect(trunk).toMatchObject({ allowedNumbers: ["+493087654321", "+4940*"], credentialsHint: "pa55" });
    expect(await page.locator("main").innerText()).not.toContain("s3cr3t");

    await choose(page, "Edit");
    await page.getByLabel("Remove the stored user and password").check();
    await page.getByRole("button", { name: "Save trunk" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect((await service.client.trunks.get({ trunkId: trunk!.id })).trunk.credentialPresent).toBe(false);
    await choose(page, "Delete");
    await page.getByRole("button", { name: "Delete trunk" }).click();
    await page.getByText("The service calls only the numbers that its allow-list has").waitFor();
    // The refused edits are answers of the service, which a browser reports.
    expect(errors.filter((error) => !error.includes("422"))).toEqual([]);
    await page.close();
  });

  test("the plan of a run names the number that is called, and the greatest number of calls and minutes", async () => {
    const address = "sip.example.com";
    const wanted = { name: "Office", address, callerId: "1001", allowedNumbers: ["+4930*"], maxCallSeconds: 60 };
    await service.client.trunks.create(wanted);
    const { agentId, connectionId } = await phoneConnection(service.client, { phoneNumber: "+493087654321" });
    await versionsOf(service.client, [{ scenario: "Says: Goodbye.", behaviors: ["ends the call"] }]);
    const { items } = await service.client.tests.list({});
    const search = new URLSearchParams({ agent: agentId, connection: connectionId, tests: items[0]!.id });
    const { page } = await openPage(context, `${home}/runs/new?${search}`);
    await page.getByText("+493087654321 over Office").waitFor();
    await page.getByText("4 calls, 4 minutes").waitFor();
    expect(await page.getByRole("button", { name: /^Start/ }).count()).toBe(1);
    await page.close();
  });
});
