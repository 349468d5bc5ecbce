/**
 * Measures how the service rebuilds the tables of traces from the journal: `npm run bench -- rebuild`. Prints the service's
 * processor time from its start until it has derived every conversation, with and without its tables. `--spans` sets the number of
 * spans.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { removeTraceTables } from "../test/support/trace-files.ts";
import { sendBodies, spansIn } from "./send-bodies.ts";
import { startServer } from "./start-server.ts";
import { CALLS, HEAVY } from "./workloads.ts";

const { spans } = new Command("rebuild")
  .description("Measures how the tables of traces are built again from the journal.")
  .option("--spans <count>", "spans in the journal, half of them in large bodies", Number, 1_000_000)
  .parse()
  .opts<{ spans: number }>();

const BODIES_AT_ONCE = 500;

const dataDir = mkdtempSync(join(tmpdir(), "svc-rebuild-"));
const start = () => startServer("svc-server.ts", { BENCH_DATA_DIR: dataDir });

try {
  const total = await fill();
  const plain = await startAndRead();
  removeTraceTables(dataDir);
  const rebuilt = await startAndRead();
  const line = (name: string, { cpuMs, rssMb }: typeof plain) =>
    console.log(`${name}: ${(cpuMs / 1000).toFixed(1)} s of processor time, ${rssMb.toFixed(0)} MB`);
  line("start with tables", plain);
  line("start without tables", rebuilt);
  console.log(
    `${total} spans built again: ${((rebuilt.cpuMs - plain.cpuMs) / 1000).toFixed(1)} s of processor time, ` +
      `${(((rebuilt.cpuMs - plain.cpuMs) * 1000) / total).toFixed(1)} µs a span`,
  );
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

/** Sends the bodies to a new service; returns the number of their spans. */
async function fill(): Promise<number> {
  const { ask, close, ...target } = await start();
  let total = 0;
  for (const { bodies: bodiesOf, connections } of [HEAVY, CALLS]) {
    for (let left = spans / 2; left > 0;) {
      const some = bodiesOf(BODIES_AT_ONCE);
      const bodies = some.slice(0, Math.ceil((left * BODIES_AT_ONCE) / spansIn(some)));
      await sendBodies(target, bodies, connections);
      left -= spansIn(bodies);
      total += spansIn(bodies);
    }
  }
  await ask("read");
  await close();
  return total;
}

/** Starts the service and waits until it has derived every conversation; returns its usage since its start. */
async function startAndRead() {
  const { ask, close } = await start();
  await ask("drain");
  const usage = await ask("read");
  await close();
  return usage;
}
