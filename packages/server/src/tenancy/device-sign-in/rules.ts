import { LIMITS } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import type { Schema } from "../../stores/schema.ts";

export type DeviceRow = Schema["device_requests"];

/**
 * Consonants, without letters that look like a digit. A code of these letters forms no word and is easy to type (RFC 8628, section
 * 6.1).
 */
export const USER_CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
export const USER_CODE_LENGTH = 8;

/** Seconds that are added to the interval after a request that came too early (RFC 8628, section 3.5). */
const SLOW_DOWN_SECONDS = 5;

/** Returns the code in its stored form: only upper-case letters. */
export const normalUserCode = (typed: string): string => typed.toUpperCase().replaceAll(/[^A-Z]/g, "");

export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/**
 * Result of a device's request for its key. `issue` is true when the device gets the key now. Otherwise `refusal` is the error, and
 * `intervalSeconds` is the wait before the next request.
 */
type Poll = { issue: true } | { issue: false; refusal: AppError; intervalSeconds: number };

export function decidePoll(row: DeviceRow, nowMs: number): Poll {
  const refuse = (refusal: AppError, intervalSeconds = row.interval_seconds): Poll => ({
    issue: false,
    refusal,
    intervalSeconds,
  });
  if (nowMs >= row.expires_ms)
    return refuse(new AppError("expired_token", "The device code has expired. Start the sign-in again."));
  if (row.status === "denied") return refuse(accessDenied());
  if (row.status === "approved") return { issue: true };
  const isEarly = row.polled_ms !== null && nowMs - row.polled_ms < row.interval_seconds * 1000;
  if (!isEarly)
    return refuse(new AppError("authorization_pending", "The code is not approved yet. Ask again after the interval."));
  const intervalSeconds = row.interval_seconds + SLOW_DOWN_SECONDS;
  return refuse(
    new AppError("slow_down", `The device asks too often. Wait ${intervalSeconds} s between requests.`),
    intervalSeconds,
  );
}

export const accessDenied = () =>
  new AppError("access_denied", "The person denied the sign-in, or left the organization. Start the sign-in again.");

export const unknownDeviceCode = () =>
  new AppError("invalid_grant", "This device code is unknown or was used already. Start the sign-in again.");

export const unknownUserCode = () =>
  new AppError("not_found", "No device waits for this code. Check the code, or start the sign-in again on the device.");

export function requirePending(row: DeviceRow | undefined, nowMs: number): DeviceRow {
  if (!row || nowMs >= row.expires_ms) throw unknownUserCode();
  if (row.status === "pending") return row;
  throw new AppError("conflict", `This code is ${row.status} already. Start the sign-in again on the device.`);
}

export const secondsLeft = (row: DeviceRow, nowMs: number): number =>
  Math.min(LIMITS.deviceCodeSeconds, Math.max(0, Math.floor((row.expires_ms - nowMs) / 1000)));
