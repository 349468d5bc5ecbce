// `npm run check` runs every check that needs no running service, two at a time. Prints each step when it ends. The other steps
// continue after a failed step.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

const AT_A_TIME = 2;
const node = process.execPath;
const bin = (name: string) => `node_modules/.bin/${name}`;
/** The long steps come first, so that the short steps fill the time of the second process. */
const STEPS: [name: string, command: string, args: string[], remedy: string][] = [
  ["types", bin("tsc"), ["-b"], "fix the types"],
  ["lint", bin("oxlint"), ["--type-aware", "--deny-warnings"], "fix the code"],
  ["format", bin("oxfmt"), ["--check", "."], "run `npm run format`"],
  ["terms", node, ["scripts/check-terms.ts"], "write the terms that it names"],
  ["lock file", node, ["scripts/check-lock.ts"], "make the lock file again from a clean tree"],
  ["licences", node, ["scripts/check-licences.ts"], "choose a dependency with a permissive licence"],
  ["OpenAPI document", node, ["--conditions=svc-source", "scripts/openapi.ts", "--check"], "run `npm run openapi`"],
  ["generated pages", node, ["--conditions=svc-source", "scripts/docs.ts", "--check"], "run `npm run docs`"],
  [
    "architecture, contract and links of documents",
    node,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      "test/architecture.spec.ts",
      "test/table-owners.spec.ts",
      "test/web/architecture.spec.ts",
      "test/contract.spec.ts",
      "test/docs/mentions.spec.ts",
      "test/docs/site.spec.ts",
    ],
    "read the failing spec: it says the rule",
  ],
];

const waiting = [...STEPS];
let failed = 0;

async function runWaitingSteps(): Promise<void> {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const [name, command, args, remedy] = step;
    const startedAt = performance.now();
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise<number | null>((resolve) => void child.once("close", resolve));
    const [status, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${status === 0 ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
    if (status === 0) continue;
    failed++;
    console.log(`${output}${errors}\n     ${remedy}`);
  }
}

await Promise.all(Array.from({ length: AT_A_TIME }, runWaitingSteps));
process.exit(failed === 0 ? 0 : 1);
