import { allowsNumber, LIMITS, type operations, phoneNumberProblem, type Trunk } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../../base/errors.ts";
import { refuseStaleRevision } from "../../base/versions.ts";
import { refusalOf } from "../../http/refusal.ts";
import type { Schema } from "../../stores/schema.ts";
import { ENTER_CREDENTIAL } from "../another-host.ts";

type NewBody = z.output<(typeof operations.trunks.create)["body"]>;
type EditBody = z.output<(typeof operations.trunks.edit)["body"]>;

/** The hint is null when the trunk has no credential. */
export type TrunkRow = Schema["trunks"] & { hint: string | null };
export type TrunkCredential = { user: string; password: string };

type TrunkColumns = Pick<
  Schema["trunks"],
  "name" | "address" | "caller_id" | "allowed_numbers" | "max_call_seconds" | "calls_per_minute" | "calls_per_day"
>;

/** The credential is undefined when it does not change, and null when it is removed. */
export type TrunkChange = { columns: Partial<TrunkColumns>; credential: TrunkCredential | null | undefined };

export const decideTrunk = (body: NewBody): { columns: TrunkColumns; credential: TrunkCredential | undefined } => ({
  columns: columnsOf(body) as TrunkColumns,
  credential: body.credential,
});

export function decideTrunkEdit(current: TrunkRow, edit: EditBody): TrunkChange {
  refuseStaleRevision("trunk", current, edit.expectedRevision);
  const movesHost = edit.address !== undefined && edit.address.toLowerCase() !== current.address.toLowerCase();
  if (movesHost && current.hint !== null && edit.credential === undefined)
    throw refusalOf("unprocessable", [{ path: "credential.user", message: ENTER_CREDENTIAL }]);
  return { columns: columnsOf(edit), credential: edit.credential };
}

function columnsOf(body: Partial<NewBody | EditBody>): Partial<TrunkColumns> {
  const columns = {
    name: body.name,
    address: body.address,
    caller_id: body.callerId,
    allowed_numbers: body.allowedNumbers && JSON.stringify([...new Set(body.allowedNumbers)]),
    max_call_seconds: body.maxCallSeconds,
    calls_per_minute: body.callsPerMinute,
    calls_per_day: body.callsPerDay,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

export function refuseTooManyTrunks(count: number): void {
  if (count < LIMITS.trunks) return;
  throw new AppError("unprocessable", `A project has at most ${LIMITS.trunks} trunks. Delete one first.`);
}

export const presentTrunk = (row: TrunkRow, callsInLastDay: number): Trunk => ({
  id: row.id,
  projectId: row.project_id,
  name: row.name,
  address: row.address,
  callerId: row.caller_id,
  credentialPresent: row.hint !== null,
  credentialsHint: row.hint,
  allowedNumbers: allowedNumbersOf(row),
  maxCallSeconds: row.max_call_seconds,
  callsPerMinute: row.calls_per_minute,
  callsPerDay: row.calls_per_day,
  callsInLastDay,
  revision: row.revision,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const allowedNumbersOf = (row: TrunkRow): string[] => JSON.parse(row.allowed_numbers);

/** Returns the trunk over which a connection's number is called, or a sentence that says why there is none and what to do. */
export function trunkOf(trunks: readonly TrunkRow[], named: string | undefined): TrunkRow | string {
  const [only, ...others] = trunks;
  if (only === undefined)
    return "The project has no trunk, over which telephone numbers are called. Create one: svc trunks create --help";
  const names = trunks.map(({ name }) => `"${name}"`).join(", ");
  const change = "svc connections edit AGENT CONNECTION --config trunk=NAME";
  if (named !== undefined)
    return (
      trunks.find(({ id, name }) => id === named || name === named) ??
      `The project has no trunk "${named}", which the connection names. Choose one of ${names}: ${change}`
    );
  if (others.length === 0) return only;
  return `The project has several trunks: ${names}. Let the connection name one: ${change}`;
}

/** Returns why a number is not called over a trunk, and what to do; undefined when it may be called. */
export function refusalOfNumber(trunk: TrunkRow, phoneNumber: string): string | undefined {
  const problem = phoneNumberProblem(phoneNumber);
  if (problem !== undefined) return problem;
  if (allowsNumber(allowedNumbersOf(trunk), phoneNumber)) return undefined;
  return `The allow-list of the trunk "${trunk.name}" does not have ${phoneNumber}. Add it: svc trunks edit ${trunk.id} --allow ${phoneNumber}`;
}

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** Times in milliseconds of the database's clock. `lastMinute` has the calls of the last 60 seconds, latest first. */
export type PlacedCalls = { nowMs: number; lastMinute: readonly number[]; lastDayCount: number };

/** `refuse` says why the call is not placed. `wait` says after how many milliseconds the minute has room for it. */
export type CallDecision =
  | { kind: "place" }
  | { kind: "refuse"; why: string }
  | { kind: "wait"; ms: number; why: string };

export function decideCall(trunk: TrunkRow, phoneNumber: string, placed: PlacedCalls): CallDecision {
  const refusal = refusalOfNumber(trunk, phoneNumber);
  if (refusal !== undefined) return { kind: "refuse", why: refusal };
  const { id, name, calls_per_minute: perMinute, calls_per_day: perDay } = trunk;
  if (placed.lastDayCount >= perDay)
    return {
      kind: "refuse",
      why: `The trunk "${name}" has reached its limit of ${perDay} calls in 24 hours. Wait, or raise the limit: svc trunks edit ${id} --calls-per-day NUMBER`,
    };
  if (placed.lastMinute.length < perMinute) return { kind: "place" };
  const ms = Math.max(1, placed.lastMinute[perMinute - 1]! + MINUTE_MS - placed.nowMs);
  const seconds = Math.ceil(ms / 1_000);
  return {
    kind: "wait",
    ms,
    why: `The trunk "${name}" has reached its limit of ${perMinute} calls in a minute. Wait ${seconds} s, or raise the limit: svc trunks edit ${id} --calls-per-minute NUMBER`,
  };
}
