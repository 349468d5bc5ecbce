import { expect, test } from "vitest";
import { OF_THE_DATA_FOLDER, specsOfStores, storesAreOpenedBy } from "./specs.ts";

test("specs that start the service run on PostgreSQL and ClickHouse, and specs of pure functions do not", () => {
  const specs = specsOfStores();
  expect(specs).toEqual(
    expect.arrayContaining([
      "test/journeys.spec.ts",
      "test/http/generated-requests.spec.ts",
      "test/cli/traces.spec.ts",
      "test/web/journeys/people.spec.ts",
      "test/engines/writers.engine.ts",
      "test/engines/traces.clickhouse.ts",
    ]),
  );
  expect(specs).not.toContain("test/ids.spec.ts");
  expect(specs).not.toContain("test/grading/quotes.spec.ts");
});

test("each spec that is left out for the data folder opens stores", () => {
  for (const file of Object.keys(OF_THE_DATA_FOLDER)) expect(storesAreOpenedBy(file), file).toBe(true);
});
