// The checks of the pages in a browser: `npm run test:pages`.
import type { ViteUserConfig } from "vitest/config";
import config from "../../../vitest.config.ts";

const { projects: _, ...test } = config.test!;

const battery: ViteUserConfig = {
  ...config,
  test: {
    ...test,
    include: ["test/web/battery/**/*.battery.ts", "test/web/components.spec.ts"],
    testTimeout: 600_000,
  },
};

export default battery;
