// These specs play whole calls, which last as long as calls of people: `npm run test:calls`.
import type { ViteUserConfig } from "vitest/config";
import config from "../../../vitest.config.ts";

const { projects: _, ...test } = config.test!;

const battery: ViteUserConfig = {
  ...config,
  test: { ...test, include: ["test/calls/battery/**/*.battery.ts"], testTimeout: 300_000, maxWorkers: 1 },
};

export default battery;
