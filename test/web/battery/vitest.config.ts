// The long checks of the pages: `npm run test:pages`.
import type { ViteUserConfig } from "vitest/config";
import config from "../../../vitest.config.ts";

const { projects: _, ...test } = config.test!;

const battery: ViteUserConfig = {
  ...config,
  test: { ...test, include: ["test/web/battery/**/*.battery.ts"], testTimeout: 600_000 },
};

export default battery;
