import type { Browser } from "playwright-core";
import { beforeAll, describe } from "vitest";
import { chromiumPath, NO_CHROMIUM, openChromium } from "./chromium.ts";

/** The browser of a group of specs, which is open while they run. */
type OpenBrowser = { readonly browser: Browser };

/** The browser of this process, which ends with the process. Each spec file opens its own context in it. */
let shared: Promise<Browser> | undefined;

/** Describes specs that need a browser. Without one they are skipped with the reason; in CI they fail. */
export function describeInBrowser(name: string, specs: (open: OpenBrowser) => void): void {
  const isMissing = chromiumPath() === undefined;
  const isSkipped = isMissing && process.env["CI"] === undefined;
  if (isSkipped) process.stderr.write(`skipped "${name}": ${NO_CHROMIUM}\n`);
  describe.skipIf(isSkipped)(`in a browser: ${name}`, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await (shared ??= openChromium());
    });
    specs({
      get browser() {
        return browser!;
      },
    });
  });
}
