// The specs of the single executable: `npm run test:binary`.
import { join } from "node:path";
import type { ViteUserConfig } from "vitest/config";
import config from "../../vitest.config.ts";

const { projects: _, ...test } = config.test!;
const program = join(import.meta.dirname, "../../dist/svc-linux-x64");

/** These specs read the state or the log of the service's process, or replace its intervals and limits. */
const IN_PROCESS = [
  "agent-versions",
  "changes",
  "conversation-filters",
  "conversation-rows",
  "erasure",
  "faults",
  "generated-requests",
  "metrics",
  "own-spans",
  "prometheus",
  "readers",
  "recordings",
  "retention",
  "version-comparison",
].map((name) => `test/http/${name}.spec.ts`);

// scripts/batteries.ts says what the gate leaves out.
const IS_GATE = process.env["SPEC_SCOPE"] === "gate";
const IN_GATE = [
  "test/binary/**/*.binary.ts",
  "test/http/{web-files,health,voice-sample,ingest-refusals}.spec.ts",
  "test/runs/calls.spec.ts",
];

const executable: ViteUserConfig = {
  ...config,
  test: {
    ...test,
    include: IS_GATE ? IN_GATE : ["test/binary/**/*.binary.ts", "test/http/**/*.spec.ts", "test/runs/calls.spec.ts"],
    exclude: IN_PROCESS,
    env: { ...test.env, SPEC_PROGRAM: program, SPEC_FORM: IS_GATE ? "short" : "long" },
    isolate: false,
  },
};

export default executable;
