import { audioAddress } from "@svc/sdk";
import { expect, test } from "vitest";

test("the address of audio has the path, the query and the organization, each encoded", () => {
  const input = { simulationId: "sim_1/2", organizationId: "org_1", projectId: "Night & day" };
  expect(audioAddress("https://svc.test/", "recordings.audioOfSimulation", input)).toBe(
    "https://svc.test/v1/simulations/sim_1%2F2/recording?projectId=Night+%26+day&organizationId=org_1",
  );
  // @ts-expect-error: this operation answers with JSON.
  expect(() => audioAddress("https://svc.test", "tests.get", { testId: "tst_1" })).not.toThrow();
});
