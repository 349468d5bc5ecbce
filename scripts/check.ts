// `npm run check`: everything that is checked without running the service. Prints each step; stops at none, fails at the end.
import { spawnSync } from "node:child_process";

const node = process.execPath;
const bin = (name: string) => `node_modules/.bin/${name}`;
const STEPS: [name: string, command: string, args: string[], mend: string][] = [
  ["types", bin("tsc"), ["-b"], "mend the types"],
  ["types of specs and scripts", bin("tsc"), ["-p", "test", "--noEmit"], "mend the types"],
  ["lint", bin("oxlint"), ["--type-aware", "--deny-warnings"], "mend the code"],
  ["format", bin("oxfmt"), ["--check", "."], "run `npm run format`"],
  ["lock file", node, ["scripts/check-lock.ts"], "make the lock file anew from a clean tree"],
  ["licences", node, ["scripts/check-licences.ts"], "choose a dependency with a permissive licence"],
  ["OpenAPI document", node, ["--conditions=svc-source", "scripts/openapi.ts", "--check"], "run `npm run openapi`"],
  [
    "architecture and contract",
    node,
    ["node_modules/vitest/vitest.mjs", "run", "test/architecture.spec.ts", "test/contract.spec.ts"],
    "read the failing spec: it says the rule",
  ],
];

let failed = 0;
for (const [name, command, args, mend] of STEPS) {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${status === 0 ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
  if (status === 0) continue;
  failed++;
  console.log(`${stdout}${stderr}\n     ${mend}`);
}
process.exit(failed === 0 ? 0 : 1);
