import { afterAll, beforeAll, expect, test } from "vitest";
import { totpCodeAt } from "../../../packages/server/src/tenancy/second-factor/totp.ts";
import { join, PASSWORD } from "../../support/people.ts";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage, signIn } from "../support/browsing.ts";
import { startEmpty } from "../support/seed.ts";

describeInBrowser("a second factor", (open) => {
  let service: TestServer;
  beforeAll(async () => {
    service = await startEmpty();
  });
  afterAll(() => service.stop());

  test("a person sets an authenticator app up, signs in with its code and with a recovery code, and removes it", async () => {
    const { email } = await join(service.url, service.admin, "gil@acme.test", "member");
    const context = await openContext(open.browser, service.url, { signedIn: false });
    await signIn(context, service.url, { email, password: PASSWORD });
    const { page, errors } = await openPage(context, "/account");
    await page.getByRole("button", { name: "Set up an authenticator app" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("img", { name: "QR code of the secret" }).waitFor();
    const secret = await dialog.locator("code").innerText();
    await dialog.getByLabel("Code that the app shows").fill(totpCodeAt(secret, Date.now()));
    await dialog.getByLabel("Your password").fill("not the password");
    await dialog.getByRole("button", { name: "Turn it on" }).click();
    await dialog.getByText("The current password is wrong.").waitFor();
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Turn it on" }).click();
    await dialog.getByRole("heading", { name: "Your recovery codes" }).waitFor();
    const codes = await dialog.locator("code").allInnerTexts();
    expect(codes).toHaveLength(10);
    await dialog.getByRole("button", { name: "I have the codes" }).click();
    await page.getByText("10 recovery codes are left.").waitFor();

    await context.clearCookies();
    await page.goto("/device");
    const signInWith = async (code: string) => {
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { name: "One more step" }).waitFor();
      await page.getByLabel("Code").fill("000 00");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("This code is wrong").waitFor();
      await page.getByLabel("Code").fill(code);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
    };
    await signInWith(totpCodeAt(secret, Date.now() + 30_000));
    await page.getByRole("heading", { name: "Sign in a device" }).waitFor();

    await context.clearCookies();
    await page.goto("/account");
    await signInWith(codes[0]!);
    await page.getByText("9 recovery codes are left.").waitFor();
    await page.getByRole("button", { name: "Remove the authenticator app" }).click();
    await dialog.getByLabel("Code").fill(codes[1]!);
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Remove it" }).click();
    await page.getByRole("button", { name: "Set up an authenticator app" }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  test("a person adds a passkey, signs in with the passkey alone and after the password, and confirms its removal with the passkey", async () => {
    const { email } = await join(service.url, service.admin, "hal@acme.test", "member");
    // A passkey belongs to a host name, and an IP address is not one.
    const url = service.url.replace("127.0.0.1", "localhost");
    const context = await openContext(open.browser, url, { signedIn: false });
    await signIn(context, url, { email, password: PASSWORD });
    const { page, errors } = await openPage(context, "/account");
    const device = await context.newCDPSession(page);
    await device.send("WebAuthn.enable");
    await device.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await dialog.getByLabel("Name").fill("Hal's phone");
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByRole("button", { name: "I have the codes" }).click();
    await page.getByRole("row", { name: /Hal's phone.*Never/ }).waitFor();

    await context.clearCookies();
    await page.goto("/account");
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("row", { name: /Hal's phone/ }).waitFor();
    expect(await page.getByRole("row", { name: /Never/ }).count()).toBe(0);

    await context.clearCookies();
    await page.goto("/account");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "One more step" }).waitFor();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("button", { name: "Remove Hal's phone" }).click();
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Remove it" }).click();
    await page.getByText("Your password alone opens this account.").waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});
