import { JobContext } from "@livekit/agents";
import type { Attributes } from "@opentelemetry/api";
import { defaultResource, type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { refusal, type MonitorSettings } from "./settings.ts";

/** Members of `JobContext` that the helper uses. `@livekit/agents` passes a `JobContext` to a worker's `entry`. */
export type WorkerJob = {
  readonly job: {
    /** Id of the job, which becomes the id of the conversation. */
    readonly id: string;
    /** Name of the agent to which the job was dispatched. The conversation has this name unless the option `agentName` is set. */
    readonly agentName?: string;
    /** Metadata of the dispatch. For a simulation in a room, it contains the simulation's id and its mock tools. */
    readonly metadata?: string;
    /** Room of the call. */
    readonly room?: { readonly name: string; readonly sid: string } | undefined;
  };
  /** Registers a function that the framework awaits when the job ends. */
  addShutdownCallback(callback: () => Promise<void>): void;
};

/**
 * Returns `ctx`. Throws when `ctx` is no `JobContext`, or comes from another copy of `@livekit/agents` than this package imports.
 */
export function checkJob(ctx: WorkerJob): WorkerJob {
  const usable = typeof ctx?.addShutdownCallback === "function" && typeof ctx.job?.id === "string" && ctx.job.id !== "";
  if (!usable) throw refusal("the first argument must be the JobContext that entry(ctx) receives.");
  // Each copy of @livekit/agents has its own tracer, so the helper would get no spans of another copy.
  if (ctx.constructor.name === JobContext.name && !(ctx instanceof JobContext)) {
    throw refusal(
      "the worker uses another copy of @livekit/agents than this package: install it once (npm ls @livekit/agents), and import it as an ES module.",
    );
  }
  return ctx;
}

/** Returns the resource of the spans. It contains the id of the conversation, the agent's name and version, and any simulation. */
export function resourceOf({ job }: WorkerJob, settings: MonitorSettings): Resource {
  const values: Record<string, string | number | undefined> = {
    "service.name": settings.serviceName,
    "svc.session_id": settings.simulationId ?? job.id,
    "svc.simulation_id": settings.simulationId,
    "svc.simulation_attempt": settings.simulationAttempt,
    "svc.agent_name": settings.agentName ?? job.agentName,
    "svc.agent_version": settings.agentVersion,
    "svc.room_name": job.room?.name,
    "lk.job_id": job.id,
    room_id: job.room?.sid,
  };
  const attributes: Attributes = Object.fromEntries(Object.entries(values).filter(([, value]) => value));
  return defaultResource().merge(resourceFromAttributes(attributes));
}
