import { JobContext } from "@livekit/agents";
import type { Attributes } from "@opentelemetry/api";
import { defaultResource, type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { refusal, type Settings } from "./settings.ts";

/** What is needed of the `JobContext` that `@livekit/agents` gives to a worker's `entry`. */
export type WorkerJob = {
  readonly job: {
    readonly id: string;
    readonly agentName?: string;
    readonly room?: { readonly name: string; readonly sid: string } | undefined;
  };
  addShutdownCallback(callback: () => Promise<void>): void;
};

export function checkedJob(ctx: WorkerJob): WorkerJob {
  const usable = typeof ctx?.addShutdownCallback === "function" && typeof ctx.job?.id === "string" && ctx.job.id !== "";
  if (!usable) throw refusal("the first argument must be the JobContext that entry(ctx) is given.");
  // Each copy has a tracer of its own: ours would never see the spans of theirs.
  if (ctx.constructor.name === JobContext.name && !(ctx instanceof JobContext)) {
    throw refusal(
      "the worker runs on another copy of @livekit/agents than this package: install it once (npm ls @livekit/agents), and import it as an ES module.",
    );
  }
  return ctx;
}

/** Says which conversation and which agent the spans belong to: in a simulation they join its trace. */
export function identityOf({ job }: WorkerJob, settings: Settings): Resource {
  const known: Record<string, string | undefined> = {
    "service.name": settings.serviceName,
    "svc.session_id": settings.simulationId ?? job.id,
    "svc.simulation_id": settings.simulationId,
    "svc.agent_name": settings.agentName ?? job.agentName,
    "svc.room_name": job.room?.name,
    "lk.job_id": job.id,
    room_id: job.room?.sid,
  };
  const attributes: Attributes = Object.fromEntries(Object.entries(known).filter(([, value]) => value));
  return defaultResource().merge(resourceFromAttributes(attributes));
}
