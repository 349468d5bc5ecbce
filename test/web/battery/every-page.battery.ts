import { PAGE_PATHS } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { join, PASSWORD } from "../../support/people.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, newPage, isShown, signIn, SIZES } from "../support/browsing.ts";
import { addInspection, coveredHeadsOf, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { pagesOf, type SeededPage } from "../support/pages.ts";
import { type Seeded, startSeeded } from "../support/seed.ts";
import { openWriteControls } from "../support/write-controls.ts";

/** The list leaves these out: the first two redirect to the first project, and only a service without an account shows `/claim`. */
const ELSEWHERE = new Set(["/", "/o/{organizationId}", "/claim"]);
const IS_GATE = process.env["SPEC_SCOPE"] === "gate";

describeInBrowser("every page", (open) => {
  let service: Seeded;
  let pages: SeededPage[];
  beforeAll(async () => {
    service = await startSeeded();
    pages = await pagesOf(service);
  });
  afterAll(() => service.stop());

  test("the list of pages has one at each address of the contract", () => {
    const missing = PAGE_PATHS.filter((address) => !ELSEWHERE.has(address)).filter((address) => {
      const pattern = new RegExp(`^${address.replaceAll(/\{\w+\}/g, "[^/]+")}(\\?|$)`);
      return !pages.some(({ path }) => pattern.test(path));
    });
    expect(missing, "add the page to test/web/support/pages.ts").toEqual([]);
  });

  test.each(IS_GATE ? ["wide" as const] : (Object.keys(SIZES) as (keyof typeof SIZES)[]))(
    "every page is accessible in both themes, fits the screen, stays on its origin and reports no error: %s",
    async (size) => {
      const signedIn = await openContext(open.browser, service.url, { size });
      const stranger = await openContext(open.browser, service.url, { size, signedIn: false });
      await addInspection(signedIn);
      await addInspection(stranger);
      const faults: string[] = [];
      for (const { name, path, isPublic, prepare } of pages) {
        const { page, errors } = await newPage(isPublic ? stranger : signedIn);
        await page.goto(path);
        await isShown(page).catch((error: unknown) => errors.push(String(error)));
        await prepare?.(page);
        const found = [
          ...(await violationsOf(page)),
          ...(await sidewaysScrollOf(page)),
          ...(await coveredHeadsOf(page)),
        ];
        if (!IS_GATE) {
          await page.emulateMedia({ colorScheme: "dark" });
          found.push(...(await violationsOf(page, "colours")).map((fault) => `dark: ${fault}`));
        }
        faults.push(...[...found, ...errors].map((fault) => `${name}: ${fault}`));
        await page.close();
      }
      await signedIn.close();
      await stranger.close();
      expect(faults).toEqual([]);
    },
  );

  test("a viewer sees no control that writes on any page", async () => {
    const { email } = await join(service.url, service.admin, "vera@acme.test", "viewer");
    const viewer = await openContext(open.browser, service.url, { signedIn: false });
    await signIn(viewer, service.url, { email, password: PASSWORD });
    const found: string[] = [];
    for (const { name, path, isPublic, prepare } of pages) {
      // A viewer may also change their own keys and account, so these pages have controls for changes.
      if (isPublic || prepare || /^(keys|account|device)/.test(name)) continue;
      const { page } = await newPage(viewer);
      await page.goto(path);
      await isShown(page);
      found.push(...(await openWriteControls(page)).map((control) => `${name}: ${control}`));
      await page.close();
    }
    await viewer.close();
    expect(found).toEqual([]);
  });
});
