// Kills processes that share databases: `npm run test:cluster`. CLUSTER_SECONDS is the duration of the attack.
import type { ViteUserConfig } from "vitest/config";
import config from "../../vitest.config.ts";
import { findClickHouse } from "../engines/find-clickhouse.ts";
import { findPostgres } from "../engines/find-postgres.ts";

const { projects: _, ...test } = config.test!;

const [postgres, clickHouse] = [findPostgres(), findClickHouse()];
const reason =
  [postgres, clickHouse].map((found) => ("missing" in found ? found.missing : "")).find((missing) => missing !== "") ??
  ("url" in postgres || "url" in clickHouse ? "it restarts databases that it starts itself" : "");
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
