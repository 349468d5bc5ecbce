import { afterAll, beforeAll, expect, test } from "vitest";
import { join, PASSWORD, signUpAsk } from "../../support/people.ts";
import { conversation, sendSpans } from "../../support/production.ts";
import { jsonOf, send } from "../../support/request.ts";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage, signIn } from "../support/browsing.ts";
import { startEmpty } from "../support/seed.ts";

describeInBrowser("several people", (open) => {
  let service: TestServer;
  let organization: string;
  beforeAll(async () => {
    service = await startEmpty({ SVC_OPEN_SIGNUP: "true" });
    await service.admin.organization.edit({ name: "Acme" });
    organization = `/o/${(await service.admin.organization.get()).organization.id}`;
  });
  afterAll(() => service.stop());

  test("an admin invites a person, who accepts in another browser and sees the project that has conversations", async () => {
    await service.admin.projects.create({ name: "Aardvark, an empty project" });
    await sendSpans(service, service.client, conversation(1, "Hello."));
    const first = await openContext(open.browser, service.url);
    const { page, errors } = await openPage(first, `${organization}/settings/members`);
    await page.getByRole("button", { name: "Invite a person" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail").fill("not an address");
    await dialog.getByRole("button", { name: "Create invitation" }).click();
    await dialog.getByLabel("E-mail").and(page.locator("[aria-invalid=true]")).waitFor();
    await dialog.getByLabel("E-mail").fill("ben@acme.test");
    await dialog.getByLabel("Role").selectOption("viewer");
    await dialog.getByRole("button", { name: "Create invitation" }).click();
    const link = await dialog.locator("code").first().innerText();
    await dialog.getByRole("button", { name: "I have the link" }).click();
    await page.getByRole("row", { name: /ben@acme\.test/ }).waitFor();

    const second = await openContext(open.browser, service.url, { signedIn: false });
    const other = await openPage(second, new URL(link).pathname);
    await other.page.getByText("ben@acme.test").first().waitFor();
    await other.page.getByLabel("Name").fill("Ben");
    await other.page.getByLabel("Password").fill(PASSWORD);
    await other.page.getByRole("button", { name: "Create the account and join" }).click();
    await other.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    expect(new URL(other.page.url()).pathname).toBe(`${organization}/p/${service.project.slug}`);

    await page.reload();
    await page.getByRole("row", { name: /Ben.*viewer/ }).waitFor();
    expect([...errors, ...other.errors]).toEqual([]);
    await first.close();
    await second.close();
  });

  test("an admin sets how long a project's conversations stay, and removes the limit", async () => {
    const context = await openContext(open.browser, service.url);
    const { page, errors } = await openPage(context, `${organization}/settings/projects`);
    const row = page.getByRole("row", { name: new RegExp(service.project.name) });
    const change = async (days: string) => {
      await row.getByRole("button", { name: "Change" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Days that conversations stay").fill(days);
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "hidden" });
    };
    await row.getByText("As the service keeps them").waitFor();
    await change("30");
    await row.getByText("30 days").waitFor();
    const retentionDays = async () => (await service.admin.projects.list()).projects.at(-1)!.retentionDays;
    expect(await retentionDays()).toBe(30);
    await change("");
    await row.getByText("As the service keeps them").waitFor();
    expect(await retentionDays()).toBeNull();
    expect(errors).toEqual([]);
    await context.close();
  });

  test("a person changes their name, and the members show it", async () => {
    const context = await openContext(open.browser, service.url);
    const { page, errors } = await openPage(context, "/account");
    await page.getByLabel("Name", { exact: true }).fill("");
    await page.getByRole("button", { name: "Change name" }).click();
    await page.getByLabel("Name", { exact: true }).and(page.locator("[aria-invalid=true]")).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Ada Byron");
    await page.getByRole("button", { name: "Change name" }).click();
    await page.getByText("The name is changed.").waitFor();
    await page.goto(`${organization}/settings/members`);
    await page.getByRole("row", { name: /Ada Byron/ }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  test("a person who fears a thief changes the password, and ends the keys and then all sessions", async () => {
    const { email, key } = await join(service.url, service.admin, "dan@acme.test", "member");
    const works = async () => (await send(service.url, { method: "GET", path: "/v1/organization", key })).status;
    const context = await openContext(open.browser, service.url, { signedIn: false });
    await signIn(context, service.url, { email, password: PASSWORD });
    const { page, errors } = await openPage(context, "/account");
    const form = page.locator("form").filter({ hasText: "Current password" });
    await form.getByLabel("Current password").fill(PASSWORD);
    await form.getByLabel("New password").fill(`${PASSWORD} again`);
    await form.getByLabel("Sign out all other sessions").uncheck();
    expect(await works()).toBe(200);
    await form.getByLabel("Revoke all my API keys too").check();
    await form.getByRole("button", { name: "Change password" }).click();
    await page
      .getByText("The password is changed. 1 API key is revoked. Your other sessions go on; end them below.")
      .waitFor();
    expect(await works()).toBe(401);

    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Sign out everywhere" }).click();
    await dialog.getByText("All your sessions have ended.").waitFor();
    await dialog.getByRole("button", { name: "Sign in again" }).click();
    await page.waitForURL("**/sign-in*");
    expect(errors).toEqual([]);
    await context.close();
  });

  test("a link opens the organization that it names, whichever one the session acts in", async () => {
    const email = "cleo@elsewhere.test";
    const { organization: own } = jsonOf<{ organization: { name: string } }>(await send(service.url, signUpAsk(email)));
    const context = await openContext(open.browser, service.url, { signedIn: false });
    await signIn(context, service.url, { email, password: PASSWORD });
    const { token } = await service.admin.invitations.create({ email, role: "member" });
    await service.client.agents.register({ name: "Front desk" });
    const { page, errors } = await openPage(context, "/");
    await page.getByRole("button", { name: own.name }).waitFor();
    const elsewhere = page.url();
    await page.goto(`/invitation/${token}`);
    await page.getByRole("button", { name: /^Join as/ }).click();
    await page.waitForURL(`**${organization}/p/*`);
    await page.goto(elsewhere);
    await page.getByRole("button", { name: own.name }).waitFor();
    await page.goto(`${organization}/p/${service.project.slug}/agents`);
    await page.getByRole("link", { name: "Front desk" }).waitFor();
    await page.getByRole("button", { name: /Acme/ }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});
