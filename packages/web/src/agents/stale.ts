import { SvcError } from "@svc/sdk";

/** Returns the current content of the resource if the service rejected an edit as stale. */
export const currentOf = <T>(error: unknown): T | undefined =>
  error instanceof SvcError && error.code === "version_conflict"
    ? (error.details["current"] as T | undefined)
    : undefined;
