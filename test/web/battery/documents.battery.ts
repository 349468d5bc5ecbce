import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { newPage, openContext, SIZES } from "../support/browsing.ts";
import { addInspection, coveredHeadsOf, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";

const IS_GATE = process.env["SPEC_SCOPE"] === "gate";

describeInBrowser("the documents at /docs/", (open) => {
  let service: TestServer;
  beforeAll(async () => {
    service = await startEmpty();
  });
  afterAll(() => service.stop());

  test.each(IS_GATE ? ["wide" as const] : (Object.keys(SIZES) as (keyof typeof SIZES)[]))(
    "each page is accessible in both themes, fits the screen and reports no error: %s",
    async (size) => {
      const context = await openContext(open.browser, service.url, { size, signedIn: false });
      await addInspection(context);
      const { page, errors } = await newPage(context);
      await page.goto("/docs/");
      const paths = await page.$$eval("nav.pages a", (links) => links.map((link) => new URL(link.href).pathname));
      expect(paths.length).toBeGreaterThan(25);
      const faults: string[] = [];
      for (const path of paths.filter((one) => !one.endsWith("/reference"))) {
        await page.goto(path);
        const found = [
          ...(await violationsOf(page)),
          ...(await sidewaysScrollOf(page)),
          ...(await coveredHeadsOf(page)),
        ];
        await page.emulateMedia({ colorScheme: "dark" });
        found.push(...(await violationsOf(page, "colours")).map((fault) => `dark: ${fault}`));
        await page.emulateMedia({ colorScheme: "light" });
        faults.push(...found.map((fault) => `${path}: ${fault}`));
      }
      await context.close();
      expect([...faults, ...errors]).toEqual([]);
    },
  );
});
