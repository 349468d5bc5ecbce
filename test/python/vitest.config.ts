// Tests the Python package as its users get it: `npm run test:python`. Python's standard library builds, installs and tests it.
import type { ViteUserConfig } from "vitest/config";
import config from "../../vitest.config.ts";

const { projects: _, ...test } = config.test!;

const python: ViteUserConfig = { ...config, test: { ...test, include: ["test/python/**/*.python.ts"] } };

export default python;
