// Checks the pages in a browser: `npm run test:pages`.
import type { ViteUserConfig } from "vitest/config";
import config from "../../../vitest.config.ts";

// scripts/batteries.ts says what the gate leaves out.
const IS_GATE = process.env["SPEC_SCOPE"] === "gate";

const { projects: _, ...test } = config.test!;

const battery: ViteUserConfig = {
  ...config,
  test: {
    ...test,
    include: IS_GATE
      ? ["test/web/battery/{every-page,hostile,documents}.battery.ts"]
      : ["test/web/battery/**/*.battery.ts", "test/web/components.spec.ts"],
    // One test opens every page, in the full battery in both themes. The time limit only ends a test that hangs.
    testTimeout: IS_GATE ? 600_000 : 1_800_000,
  },
};

export default battery;
