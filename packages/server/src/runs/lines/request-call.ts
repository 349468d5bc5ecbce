import { SIMULATION_HEADER } from "@svc/contract";
import { exchange, type PrivateAddresses } from "../../base/net/outbound.ts";
import type { CallerAudio } from "./call-line.ts";
import { LineFailure } from "./line.ts";
import { outboundFailure } from "./room/media-server.ts";

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;

type CallRequest = {
  dialUrl: string;
  dialKey: string | undefined;
  number: string;
  simulationId: string;
  attempt: number;
  tools: { names: readonly string[]; url: string; token: string };
  privateAddresses: PrivateAddresses;
};

/** Requests the user's endpoint to let the agent call. Rejects with a `LineFailure` when the endpoint does not take the request. */
async function requestCall(request: CallRequest, signal: AbortSignal): Promise<void> {
  const { dialUrl, dialKey, number, simulationId, attempt, tools, privateAddresses } = request;
  const { status } = await exchange({
    method: "POST",
    url: new URL(dialUrl),
    headers: dialKey === undefined ? {} : { Authorization: `Bearer ${dialKey}` },
    json: { number, simulationId, attempt, headers: { [SIMULATION_HEADER]: simulationId }, tools },
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_BYTES_MAX,
    privateAddresses,
    signal,
    once: true,
  }).catch((error: unknown) => {
    const advice = "check the connection's dialUrl, which must answer itself and in time";
    throw outboundFailure(error, "connection_refused", advice);
  });
  if (status >= 200 && status < 300) return;
  if (status === 401 || status === 403)
    throw new LineFailure(
      "credential_rejected",
      `The connection's dialUrl refused the dialKey (${status}): replace it.`,
    );
  if (status === 429)
    throw new LineFailure("rate_limited", "The connection's dialUrl answered 429: lower the run's concurrency.");
  throw new LineFailure(
    "connection_refused",
    `The connection's dialUrl answered with status ${status}, so no agent calls.`,
  );
}

/** Returns caller audio that requests the agent's call as soon as the service waits for it. The wait ends when the request fails. */
export function requesting(callerAudio: CallerAudio, request: CallRequest, signal: AbortSignal): CallerAudio {
  return {
    ...callerAudio,
    place(line, onEvent) {
      const waiting = new AbortController();
      let failure: LineFailure | undefined;
      const call = callerAudio.place(line, (event) => {
        if (event.kind === "waits_for_agent") void ask();
        if (event.kind === "connected" || event.kind === "ended") waiting.abort();
        const isFailed = event.kind === "ended" && failure !== undefined;
        onEvent(isFailed ? { ...event, reason: failure!.reason, note: failure!.message } : event);
      });
      return call;

      async function ask(): Promise<void> {
        try {
          await requestCall(request, AbortSignal.any([signal, waiting.signal]));
        } catch (error) {
          if (waiting.signal.aborted || signal.aborted) return;
          failure =
            error instanceof LineFailure
              ? error
              : new LineFailure("simulator_error", `The call could not be requested: ${(error as Error).message}`);
          call.hangUp();
        }
      }
    },
  };
}
