import { setTimeout as delay } from "node:timers/promises";
import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { sourceFlag } from "../../flags.ts";
import { clean, cleaned, jsonText } from "../../terminal/terminal-text.ts";
import { isTemporary } from "../../refusal.ts";
import { createChangeDetector } from "../../traces/follow.ts";
import { summaryLine } from "../../traces/summary-line.ts";

const WATCHED = 100;

export default command({
  summary: "Follow conversations as they arrive",
  description:
    "Prints a line when one of the newest 100 conversations arrives or changes, until Ctrl-C. … marks a conversation that has not ended. With --json, each line is an object.",
  examples: ["<%= config.bin %> traces tail", "<%= config.bin %> traces tail --agent clinic --last 0"],
  flags: {
    agent: Flags.string({ description: "Only conversations of this agent, by its exact name." }),
    source: sourceFlag(),
    status: Flags.option({ options: ["ok", "error"] as const, description: "Only conversations with this status." })(),
    last: Flags.integer({
      description: "Number of existing conversations to show first.",
      min: 0,
      max: WATCHED,
      default: 10,
    }),
    interval: Flags.integer({ description: "Seconds between requests.", min: 1, max: 3_600, default: 2 }),
  },
  async run({ startSession, flags, progress, note }) {
    const { agent, source, status, last, interval } = flags;
    const { client, projectId } = await startSession();
    const changesIn = createChangeDetector();
    const stopped = new AbortController();
    process.once("SIGINT", () => stopped.abort());
    let [hasListed, isLost] = [false, false];
    while (!stopped.signal.aborted) {
      let pauseSeconds = interval;
      try {
        const { traces } = await client.traces.list({ projectId, agent, source, status, pageSize: WATCHED });
        const changed = changesIn(traces);
        progress.clear();
        for (const trace of hasListed ? changed : changed.slice(Math.max(0, changed.length - last))) {
          const line = flags.json ? jsonText(trace, 0) : summaryLine(cleaned(trace));
          process.stdout.write(`${clean(line)}\n`);
        }
        [hasListed, isLost] = [true, false];
      } catch (error) {
        if (!hasListed || !isTemporary(error)) throw error;
        if (!isLost) note("The service is unreachable or busy. Trying again until it answers.");
        isLost = true;
        pauseSeconds = Math.max(interval, error.retryAfterSeconds ?? 0);
      }
      await delay(pauseSeconds * 1_000, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  },
  show: () => "",
});
