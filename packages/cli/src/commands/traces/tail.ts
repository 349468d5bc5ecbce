import { setTimeout as delay } from "node:timers/promises";
import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { clean, cleaned, jsonText } from "../../terminal-text.ts";
import { openFollower } from "../../traces/follow.ts";
import { summaryLine } from "../../traces/summary-line.ts";

const WATCHED = 100;

export default command({
  description:
    "Prints a line whenever one of the newest 100 conversations is new or has changed, until Ctrl-C. … marks one that goes on. With --json, an object on each line.",
  examples: ["<%= config.bin %> traces tail", "<%= config.bin %> traces tail --agent clinic --last 0"],
  flags: {
    agent: Flags.string({ description: "Exact name of the agent." }),
    source: Flags.option({ options: ["production", "simulation"] as const, description: "Only these." })(),
    status: Flags.option({ options: ["ok", "error"] as const, description: "Only these." })(),
    last: Flags.integer({ description: "Begin with so many that are there.", min: 0, max: WATCHED, default: 10 }),
    interval: Flags.integer({ description: "Seconds between looks.", min: 1, max: 3_600, default: 2 }),
  },
  async run({ connect, flags, progress }) {
    const { agent, source, status, last, interval } = flags;
    const { client, project: projectId } = await connect();
    const changedIn = openFollower();
    const stopped = new AbortController();
    process.once("SIGINT", () => stopped.abort());
    for (let first = true; !stopped.signal.aborted; first = false) {
      const { traces } = await client.traces.list({ projectId, agent, source, status, pageSize: WATCHED });
      const changed = changedIn(traces);
      progress.clear();
      for (const trace of first && last < changed.length ? changed.slice(changed.length - last) : changed) {
        const line = flags.json ? jsonText(trace, 0) : summaryLine(cleaned(trace));
        process.stdout.write(`${clean(line)}\n`);
      }
      await delay(interval * 1_000, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  },
  show: () => "",
});
