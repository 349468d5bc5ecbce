import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRealIdentityProvider } from "../../support/identity-provider/real.ts";
import { join, PASSWORD } from "../../support/people.ts";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { startEmpty } from "../support/seed.ts";

describeInBrowser("single sign-on", (open) => {
  let service: TestServer;
  let provider: Awaited<ReturnType<typeof openRealIdentityProvider>>;
  let organization: string;
  beforeAll(async () => {
    service = await startEmpty();
    organization = `/o/${(await service.admin.organization.get()).organization.id}`;
    const { redirectUri } = await service.admin.singleSignOn.get();
    provider = await openRealIdentityProvider(redirectUri);
  });
  afterAll(async () => {
    await service.stop();
    await provider.stop();
  });

  /** Signs in on the pages of the identity provider, and consents that the provider tells svc who the person is. */
  async function signInThere(page: Page, login: string): Promise<void> {
    await page.waitForURL(`${provider.issuer}/**`);
    await page.getByPlaceholder("Enter any login").fill(login);
    await page.getByPlaceholder("and password").fill("any password");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
  }

  /** Opens a browser that reaches no other host, because the pages of the provider request a font. */
  async function openAlone(signedIn: boolean) {
    const context = await openContext(open.browser, service.url, { signedIn });
    await context.route(/^https:/, (route) => route.abort());
    return context;
  }
  const ofOurPages = (errors: readonly string[]) =>
    errors.filter((error) => !error.includes(provider.issuer) && !error.includes("fonts.googleapis.com"));

  test("an admin sets a provider up, a new person joins with it, and a member has to use it", async () => {
    const admin = await openAlone(true);
    const { page: settings, errors } = await openPage(admin, `${organization}/settings/single-sign-on`);
    await settings.getByLabel("Issuer").fill(`${provider.issuer}/wrong`);
    await settings.getByLabel("Client id").fill(provider.client.clientId);
    await settings.getByLabel("Client secret").fill(provider.client.clientSecret);
    await settings.getByLabel("E-mail domains").fill("acme.test");
    await settings.getByLabel("People of these domains without an account").selectOption("viewer");
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.getByText("The identity provider cannot be used").waitFor();
    await settings.getByLabel("Issuer").fill(provider.issuer);
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.getByText("The single sign-on is saved.").waitFor();
    await settings.getByText(`/sign-in/single-sign-on?organization=`).waitFor();

    const newcomer = await openAlone(false);
    const { page, errors: more } = await openPage(newcomer, "/account");
    await page.getByRole("link", { name: "Sign in with single sign-on" }).click();
    await page.getByRole("heading", { name: "Single sign-on" }).waitFor();
    await page.getByLabel("E-mail").fill("nia@acme.test");
    await page.getByRole("button", { name: "Continue" }).click();
    await signInThere(page, "nia@acme.test");
    await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
    await page.getByText("nia@acme.test").first().waitFor();
    expect(new URL(page.url()).search).toBe("");
    await settings.goto(`${organization}/settings/members`);
    await settings.getByRole("row", { name: /Name of nia.*nia@acme\.test.*/ }).waitFor();

    const { email } = await join(service.url, service.admin, "olga@acme.test", "member");
    await settings.goto(`${organization}/settings/single-sign-on`);
    await settings.getByLabel("Require it").check();
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.getByText("The single sign-on is saved.").waitFor();
    const member = await openAlone(false);
    const { page: others, errors: most } = await openPage(member, "/account");
    await others.getByLabel("E-mail").fill(email);
    await others.getByLabel("Password").fill(PASSWORD);
    await others.getByRole("button", { name: "Sign in" }).click();
    await others.getByText("requires single sign-on").waitFor();
    await others.getByRole("link", { name: "Sign in with single sign-on" }).click();
    await others.getByRole("button", { name: "Continue" }).click();
    await signInThere(others, email);
    await others.getByRole("heading", { name: "Account", level: 1 }).waitFor();

    // The address with the provider's answer cannot be used a second time. Its page says what to do.
    await others.goto("/sign-in/single-sign-on/done?state=of-another-browser&code=stolen");
    await others.getByText("This sign-in was used already").waitFor();
    await others.getByRole("link", { name: "Back to sign-in" }).waitFor();
    expect(ofOurPages([...errors, ...more, ...most])).toEqual([]);
    for (const context of [admin, newcomer, member]) await context.close();
  });
});
