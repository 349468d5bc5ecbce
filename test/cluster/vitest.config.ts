// Many processes on the same databases under kills: `npm run test:cluster`. CLUSTER_SECONDS is the length of the attack.
import type { ViteUserConfig } from "vitest/config";
import config from "../../vitest.config.ts";
import { findPostgres } from "../engines/find-postgres.ts";

const { projects: _, ...test } = config.test!;

const found = findPostgres();
const reason =
  "missing" in found ? found.missing : "url" in found ? "it restarts a PostgreSQL that it starts itself" : "";
if (reason !== "") console.log(`The battery of many processes is skipped: ${reason}.`);

const battery: ViteUserConfig = {
  ...config,
  test: {
    ...test,
    include: reason === "" ? ["test/cluster/**/*.battery.ts"] : [],
    passWithNoTests: reason !== "",
    testTimeout: 1_800_000,
    maxWorkers: 1,
  },
};

export default battery;
