import { SvcError } from "./error.ts";

/**
 * Returns whether the same request may succeed later: true when no answer arrived, after a rate limit, and after a status 502, 503 or
 * higher.
 */
export const isTemporary = (error: unknown): error is SvcError =>
  error instanceof SvcError &&
  (error.code === "unreachable" || error.code === "too_many_requests" || error.status === 502 || error.status >= 503);

/** Returns whether an error is permanent: the service rejected the request, and would reject the same request again. */
export const isRefusal = (error: unknown): error is SvcError => error instanceof SvcError && !isTemporary(error);

/** Resolves after `ms` milliseconds. Rejects with the signal's reason when the signal aborts first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}
