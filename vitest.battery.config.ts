// The long checks of the pages: `npm run test:pages`.
import config from "./vitest.config.ts";

const { projects: _, ...test } = config.test!;

export default {
  ...config,
  test: { ...test, include: ["test/web/battery/**/*.battery.ts"], testTimeout: 600_000 },
};
