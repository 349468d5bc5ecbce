import { setTimeout as delay } from "node:timers/promises";
import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { clean, cleaned, jsonText } from "../../terminal-text.ts";
import { isPassing } from "../../refusal.ts";
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
  async run({ connect, flags, progress, note }) {
    const { agent, source, status, last, interval } = flags;
    const { client, project: projectId } = await connect();
    const changedIn = openFollower();
    const stopped = new AbortController();
    process.once("SIGINT", () => stopped.abort());
    let [looked, isLost] = [false, false];
    while (!stopped.signal.aborted) {
      let pauseSeconds = interval;
      try {
        const { traces } = await client.traces.list({ projectId, agent, source, status, pageSize: WATCHED });
        const changed = changedIn(traces);
        progress.clear();
        for (const trace of looked ? changed : changed.slice(Math.max(0, changed.length - last))) {
          const line = flags.json ? jsonText(trace, 0) : summaryLine(cleaned(trace));
          process.stdout.write(`${clean(line)}\n`);
        }
        [looked, isLost] = [true, false];
      } catch (error) {
        if (!looked || !isPassing(error)) throw error;
        if (!isLost) note("The service is out of reach or busy: looking again until it answers.");
        isLost = true;
        pauseSeconds = Math.max(interval, error.retryAfterSeconds ?? 0);
      }
      await delay(pauseSeconds * 1_000, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  },
  show: () => "",
});
