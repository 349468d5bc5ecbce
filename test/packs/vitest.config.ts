// Tests the packages as their users get them: `npm run test:packs`. Builds them, and installs their dependencies from the registry.
import type { ViteUserConfig } from "vitest/config";
import config from "../../vitest.config.ts";

const { projects: _, ...test } = config.test!;

const packs: ViteUserConfig = {
  ...config,
  test: {
    ...test,
    include: ["test/packs/**/*.pack.ts"],
    globalSetup: "test/packs/build.ts",
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
};

export default packs;
