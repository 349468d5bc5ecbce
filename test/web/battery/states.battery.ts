import type { BrowserContext, Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { join, PASSWORD } from "../../support/people.ts";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { isShown, newPage, openContext, signIn, SIZES } from "../support/browsing.ts";
import { addInspection, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { pagesOf } from "../support/pages.ts";
import { type Seeded, startEmpty, startSeeded } from "../support/seed.ts";

const REFUSAL = { error: "internal_error", message: "The service could not answer.", details: { request_id: "req_1" } };

const FAILURES_MAX = 8;

describeInBrowser("every state", (open) => {
  let seeded: Seeded;
  let empty: TestServer;
  beforeAll(async () => {
    [seeded, empty] = await Promise.all([startSeeded(), startEmpty()]);
  });
  afterAll(() => Promise.all([seeded.stop(), empty.stop()]));

  async function inspected(url: string, person?: { email: string; password: string }): Promise<BrowserContext> {
    const context = await openContext(open.browser, url, { signedIn: person === undefined });
    if (person !== undefined) await signIn(context, url, person);
    await addInspection(context);
    return context;
  }

  /** Returns the faults of a page in its present state, in both themes and at both sizes. */
  async function faultsOf(name: string, page: Page): Promise<string[]> {
    const faults: string[] = [];
    for (const size of ["wide", "narrow"] as const) {
      await page.setViewportSize(SIZES[size]);
      const found = [...(await violationsOf(page)), ...(await sidewaysScrollOf(page))];
      await page.emulateMedia({ colorScheme: "dark" });
      found.push(...(await violationsOf(page, "colours")).map((fault) => `dark: ${fault}`));
      await page.emulateMedia({ colorScheme: "light" });
      faults.push(...found.map((fault) => `${name}, ${size}: ${fault}`));
    }
    await page.setViewportSize(SIZES.wide);
    return faults;
  }

  /** Returns the names and addresses of the project's pages, except pages about one resource. */
  const lists = (home: string): [name: string, path: string][] =>
    [
      "",
      "conversations",
      "metrics",
      "alerts",
      "tests",
      "every state runs",
      "graders",
      "personas",
      "mock-tools",
      "agents",
      "trunks",
      "monitoring",
      "notifications",
    ].map((page) => [page === "" ? "overview" : page, page === "" ? home : `${home}/${page}`]);

  test("a project without data names the next step on every page, and is accessible", async () => {
    const context = await inspected(empty.url);
    const { organization } = await empty.admin.organization.get();
    const faults: string[] = [];
    for (const [name, path] of lists(`/o/${organization.id}/p/${empty.project.slug}`)) {
      const { page, errors } = await newPage(context);
      await page.goto(path);
      await isShown(page);
      faults.push(...(await faultsOf(`empty ${name}`, page)), ...errors.map((error) => `empty ${name}: ${error}`));
      await page.close();
    }
    await context.close();
    expect(faults).toEqual([]);
  });

  test("a request that fails shows the service's words on every page, and asks again", async () => {
    const context = await inspected(seeded.url);
    const faults: string[] = [];
    const refuse = (route: Route) => route.fulfill({ status: 500, json: REFUSAL });
    for (const [name, path] of lists(seeded.home)) {
      const { page } = await newPage(context);
      await page.goto(path);
      await isShown(page);
      // Requests of the shell around the page get answers, and requests of the page itself fail.
      await page.route(/\/(v1|api)\/(?!projects|auth|changes|instance)/, refuse);
      await page.reload();
      const again = page.locator("main").getByRole("button", { name: "Ask again" }).first();
      await again.waitFor().catch(() => faults.push(`failed ${name}: no "Ask again" within 30 s`));
      if (await again.isVisible()) {
        if (!(await page.locator("main").innerText()).includes(REFUSAL.message))
          faults.push(`failed ${name}: the service's words are missing`);
        faults.push(...(await faultsOf(`failed ${name}`, page)));
        await page.unroute(/\/(v1|api)\/(?!projects|auth|changes|instance)/, refuse);
        for (let asked = 0; asked < FAILURES_MAX && (await again.isVisible()); asked++)
          await again.click({ timeout: 2_000 }).catch(() => undefined);
        await again
          .waitFor({ state: "detached" })
          .catch(() => faults.push(`failed ${name}: asking again changes nothing`));
      }
      await page.close();
    }
    await context.close();
    expect(faults).toEqual([]);
  });

  test("a page without its service says so and keeps what it shows", async () => {
    const context = await inspected(seeded.url);
    const { page } = await newPage(context);
    await page.goto(`${seeded.home}/conversations`);
    await isShown(page);
    const rows = await page.locator("tbody tr").count();
    await context.setOffline(true);
    await page.getByText("The service does not answer.").waitFor();
    expect(await page.locator("tbody tr").count()).toBe(rows);
    const faults = await faultsOf("offline", page);
    await context.setOffline(false);
    await page.getByText("The service does not answer.").waitFor({ state: "detached" });
    await context.close();
    expect(faults).toEqual([]);
  });

  test("the open menu, the palette, the shortcuts, a dialog and a form with errors are accessible", async () => {
    const context = await inspected(seeded.url);
    const { page, errors } = await newPage(context);
    const faults: string[] = [];
    await page.goto(seeded.home);
    await isShown(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("book");
    faults.push(...(await faultsOf("palette", page)));
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    faults.push(...(await faultsOf("shortcuts", page)));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /Grand Hotel Group/ }).click();
    await page.getByRole("menu").waitFor();
    faults.push(...(await faultsOf("menu of projects", page)));
    await page.keyboard.press("Escape");

    await page.setViewportSize(SIZES.narrow);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Runs" }).waitFor();
    faults.push(...(await violationsOf(page)).map((fault) => `open menu: ${fault}`), ...(await sidewaysScrollOf(page)));
    await page.setViewportSize(SIZES.wide);

    await page.goto(`/o/${seeded.organizationId}/settings/members`);
    await page.getByRole("button", { name: "Invite a person" }).click();
    await page.getByRole("dialog").getByLabel("E-mail").fill("not an address");
    await page.getByRole("button", { name: "Create invitation" }).click();
    await page.locator("[aria-invalid=true]").waitFor();
    faults.push(...(await faultsOf("dialog with an error", page)));

    await page.goto(`${seeded.home}/tests/new`);
    await page.getByLabel("Name").fill("Without behaviors");
    await page.getByRole("button", { name: "Create test" }).click();
    await page.locator("[aria-invalid=true]").first().waitFor();
    faults.push(...(await faultsOf("form with errors", page)));
    await context.close();
    expect([...faults, ...errors]).toEqual([]);
  });

  test("every page of a viewer is accessible", async () => {
    const { email } = await join(seeded.url, seeded.admin, "vera@acme.test", "viewer");
    const context = await inspected(seeded.url, { email, password: PASSWORD });
    const faults: string[] = [];
    for (const { name, path, isPublic, prepare } of await pagesOf(seeded)) {
      if (isPublic || prepare) continue;
      const { page, errors } = await newPage(context);
      await page.goto(path);
      await isShown(page);
      const found = [...(await violationsOf(page)), ...(await sidewaysScrollOf(page)), ...errors];
      faults.push(...found.map((fault) => `viewer ${name}: ${fault}`));
      await page.close();
    }
    await context.close();
    expect(faults).toEqual([]);
  });
});
