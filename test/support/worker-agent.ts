import { defineAgent, type JobContext } from "@livekit/agents";
import { monitor_platform_b } from "@svc/worker-helper";
import { textCall } from "./worker-clinic.ts";

// The agent of a job that the platform's own code forks.
export default defineAgent({
  entry: async (ctx: JobContext) => {
    monitor_platform_b(ctx, { shutdownTimeoutMs: Number(process.env.SHUTDOWN_MS ?? 10_000) });
    await ctx.connect();
    await textCall();
    process.stdout.write("the call has ended\n");
    if (process.env.ENTRY_THROWS === "yes") throw new Error("the entry of this agent fails");
    ctx.shutdown("finished");
  },
});
