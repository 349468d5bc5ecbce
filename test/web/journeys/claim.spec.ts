import { afterEach, beforeEach, expect, test } from "vitest";
import { webFolder } from "@svc/web";
import { openBareService } from "../../support/bare-service.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { tabTo } from "../support/keyboard.ts";
import { describeInBrowser } from "../support/browser-spec.ts";

describeInBrowser("a new instance", (open) => {
  let service: Awaited<ReturnType<typeof openBareService>>;
  beforeEach(async () => {
    service = await openBareService({}, undefined, await webFolder());
  });
  afterEach(() => service.stop());

  test("the first person claims it and sees the project; a second person is led to sign-in", async () => {
    const first = await openContext(open.browser, service.url, { signedIn: false });
    const { page, errors } = await openPage(first, "/");
    await page.waitForURL("**/claim");
    await page.getByLabel("Name").fill("Ada Park");
    await page.getByLabel("E-mail").fill("ada@example.com");
    await page.getByLabel("Password").fill("short");
    await page.getByRole("button", { name: "Claim" }).click();
    await page.getByLabel("Password").and(page.locator("[aria-invalid=true]")).waitFor();
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Claim" }).click();
    await page.waitForURL("**/o/*/p/default");
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    expect(errors).toEqual([]);

    const second = await openContext(open.browser, service.url, { signedIn: false });
    const other = await openPage(second, new URL(page.url()).pathname);
    await other.page.waitForURL("**/sign-in?to=*");
    await other.page.getByLabel("E-mail").fill("ada@example.com");
    await other.page.getByLabel("Password").fill("wrong password");
    await other.page.getByRole("button", { name: "Sign in" }).click();
    await other.page.getByRole("alert").waitFor();
    await other.page.getByLabel("Password").fill("correct horse battery");
    await other.page.getByRole("button", { name: "Sign in" }).click();
    await other.page.waitForURL(page.url());
    expect(other.errors).toEqual([]);
    await first.close();
    await second.close();
  });

  test("the first person of a new service can sign up with the keyboard alone", async () => {
    const context = await openContext(open.browser, service.url, { signedIn: false });
    const { page, errors } = await openPage(context, "/");
    await page.waitForURL("**/claim");
    for (const [label, text] of [
      ["Your name", "Ada Park"],
      ["E-mail", "ada@example.com"],
      ["Password", "correct horse battery"],
    ] as const) {
      await tabTo(page, label);
      await page.keyboard.type(text);
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await tabTo(page, "Set up monitoring");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Monitoring", level: 1 }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});
