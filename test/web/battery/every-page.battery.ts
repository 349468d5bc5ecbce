import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, newPage, isShown, SIZES } from "../support/browsing.ts";
import { addInspection, coveredHeadsOf, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { pagesOf, type SeededPage } from "../support/pages.ts";
import { type Seeded, startSeeded } from "../support/seed.ts";

describeInBrowser("every page", (open) => {
  let service: Seeded;
  let pages: SeededPage[];
  beforeAll(async () => {
    service = await startSeeded();
    pages = await pagesOf(service);
  });
  afterAll(() => service.stop());

  test.each(Object.keys(SIZES) as (keyof typeof SIZES)[])(
    "is accessible in both themes, fits the screen, stays on its origin and reports no error: %s",
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
        await page.emulateMedia({ colorScheme: "dark" });
        found.push(...(await violationsOf(page, "colours")).map((fault) => `dark: ${fault}`));
        faults.push(...[...found, ...errors].map((fault) => `${name}: ${fault}`));
        await page.close();
      }
      await signedIn.close();
      await stranger.close();
      expect(faults).toEqual([]);
    },
  );
});
