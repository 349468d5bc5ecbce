// The clients of bench/readers.ts. They read one conversation again and again in a separate process.
import { Agent, request } from "node:http";
import { setPriority } from "node:os";

export type ReadersOptions = { url: string; key: string; traceId: string; readers: number; leave: number };
export type ReadCounts = {
  answered: number;
  refused: number;
  left: number;
  failed: number;
  p50Ms: number;
  p99Ms: number;
};

const LEAVE_AFTER_MS = 100;
const REFUSED_PAUSE_MS = 200;

const agent = new Agent({ keepAlive: true });
const counts = { answered: 0, refused: 0, left: 0, failed: 0 };
const tookMs: number[] = [];
const state = { stopped: false };

// Real readers run on other machines, so these clients get only the processor time that the service leaves.
setPriority(19);

process.on("message", (message: ReadersOptions | "stop") => {
  if (message === "stop") {
    state.stopped = true;
    agent.destroy();
    tookMs.sort((a, b) => a - b);
    const at = (share: number) => tookMs[Math.floor(tookMs.length * share)] ?? Number.NaN;
    process.send!({ ...counts, p50Ms: at(0.5), p99Ms: at(0.99) } satisfies ReadCounts, () => process.exit(0));
    return;
  }
  for (let reader = 0; reader < message.readers; reader++) void readAll(message);
});
process.on("disconnect", () => process.exit(1));

async function readAll(options: ReadersOptions): Promise<void> {
  while (!state.stopped) {
    const outcome = await read(options, Math.random() < options.leave);
    if (!state.stopped) counts[outcome]++;
    if (outcome === "refused" || outcome === "failed")
      await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS));
  }
}

function read({ url, key, traceId }: ReadersOptions, leaves: boolean): Promise<keyof typeof counts> {
  const askedAt = performance.now();
  return new Promise((resolve) => {
    const sent = request(
      `${url}/v1/traces/${traceId}`,
      { agent, headers: { authorization: `Bearer ${key}` } },
      (response) => {
        response.resume();
        response.on("end", () => {
          if (response.statusCode === 200) tookMs.push(performance.now() - askedAt);
          resolve(response.statusCode === 200 ? "answered" : response.statusCode === 503 ? "refused" : "failed");
        });
        response.on("error", () => resolve(leaves ? "left" : "failed"));
      },
    );
    sent.on("error", () => resolve(leaves ? "left" : "failed"));
    if (leaves) setTimeout(() => sent.destroy(), LEAVE_AFTER_MS);
    sent.end();
  });
}
