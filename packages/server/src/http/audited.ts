import { ID_PREFIXES, type Operation } from "@svc/contract";
import type { ErrorCode } from "@svc/contract/constants";
import type { Context } from "koa";
import type { Caller } from "../access/caller.ts";
import { AppError } from "../base/errors.ts";
import { isStoreUnavailable } from "../stores/relational.ts";

/** What a line of the audit is about: the noun of its kind, and its id. */
export type Audited = { kind: string; id: string };

/** Whoever does something. For a request without a credential, `userId` is the person whose account it names. */
export type Actor = {
  via: "session" | "key" | "none" | "operator";
  userId: string | null;
  sessionId: string | null;
  keyId: string | null;
};

/** A line without its outcome. */
export type NewLine = {
  /** Undefined: all organizations of the actor. */
  organizationId?: string | undefined;
  operation: string;
  actor: Actor;
  address: string | null;
  requestId: string | null;
  projectId: string | null;
  resource: Audited | null;
};

export type LineOutcome = { error: ErrorCode | null; created: Audited | null };

/** The audit of all organizations. Lines are only added. */
export type AuditTrail = {
  /** Writes the line in each of its organizations, and returns the ids. Rejects when it cannot, so that nothing happens without a line. */
  begin: (line: NewLine) => Promise<string[]>;
  /** Writes how it ended. A failure goes to the service's log alone: the lines stay, with the outcome `unknown`. */
  end: (lineIds: readonly string[], outcome: LineOutcome) => Promise<void>;
  /** Does work on lines for which no answer waits. */
  later: (work: () => Promise<void>) => void;
  /** Returns whether the actor has such a line of the last hour. */
  hasRead: (line: NewLine) => Promise<boolean>;
  /** Counts a refusal of this caller and operation; returns false for more than one in a minute. */
  mayNoteRefusal: (caller: Caller, operation: string) => Promise<boolean>;
};

/** Names the people and organizations that a change of accounts concerns. */
export type AccountAudit = {
  /** Writes the line, so call it before the change. Without an organization, all organizations of the person get it. */
  concerns: (person: { userId: string; sessionId?: string | null; organizationId?: string }) => Promise<void>;
  /**
   * Leaves a line for these accounts after the answer, which does not wait: its time would show a stranger whether an address has an
   * account.
   */
  accountsAt: (find: () => Promise<readonly { userId: string }[]>) => void;
  /** Names what the operation created. */
  created: (id: string) => void;
};

/** The line of one request. */
export type AuditedRequest = ReturnType<typeof auditRequest>;

/** A media element reads a recording in parts: those after the first begin later. */
const LATER_PART = /^bytes=0*[1-9]/;

/** Returns the line of a request of an operation, which nothing has written yet. */
export function auditRequest(trail: AuditTrail, operation: string, op: Operation, ctx: Context) {
  const lineIds: string[] = [];
  let created: Audited | null = null;
  let findAccounts: Parameters<AccountAudit["accountsAt"]>[0] | undefined;
  let isOver = false;

  const lineOf = (actor: Actor, organizationId: string | undefined, resource: Audited | null): NewLine => ({
    organizationId,
    operation,
    actor,
    address: ctx.ip,
    requestId: ctx.state.requestId,
    projectId: null,
    resource,
  });

  const lineOfCaller = (caller: Caller, projectId: string | null, resource: Audited | null): NewLine => ({
    ...lineOf(caller, caller.organizationId, resource),
    projectId,
  });

  const lineOfAccount = (userId: string, sessionId: string | null, organizationId?: string): NewLine => {
    const actor: Actor = { via: sessionId === null ? "none" : "session", userId, sessionId, keyId: null };
    return lineOf(actor, organizationId, auditedOf(userId));
  };

  async function end(error: ErrorCode | null): Promise<void> {
    isOver = true;
    if (lineIds.length > 0) await trail.end(lineIds, { error, created });
    const find = findAccounts;
    if (find === undefined) return;
    trail.later(async () => {
      for (const { userId } of await find())
        await trail.end(await trail.begin(lineOfAccount(userId, null)), { error, created });
    });
  }

  const account: AccountAudit = {
    async concerns({ userId, sessionId = null, organizationId }) {
      lineIds.push(...(await trail.begin(lineOfAccount(userId, sessionId, organizationId))));
    },
    accountsAt: (find) => void (findAccounts = find),
    created: (id) => void (created = auditedOf(id)),
  };

  return {
    account,

    /** Writes the line of the caller, before the operation does anything. */
    async begin(
      caller: Caller,
      projectId: string | undefined,
      input: { params: unknown; query: unknown },
    ): Promise<void> {
      const line = lineOfCaller(caller, projectId ?? caller.projectId, auditedIn(op, input));
      if (LATER_PART.test(ctx.get("Range")) && op.answer === "audio" && (await trail.hasRead(line))) return;
      lineIds.push(...(await trail.begin(line)));
    },

    async done(answer: unknown): Promise<void> {
      if (op.audit !== "account" && (op.status === 201 || op.params === undefined)) created = createdIn(answer);
      await end(null);
    },

    /** Notes a refusal or a fault. A refusal for lack of rights leaves a line although nothing began. */
    async failed(error: unknown, caller: Caller | undefined, params: unknown): Promise<void> {
      if (isOver) return;
      const code = codeOf(error);
      const isNew = caller !== undefined && code === "not_permitted" && lineIds.length === 0;
      if (isNew && (await trail.mayNoteRefusal(caller, operation)))
        lineIds.push(...(await trail.begin(lineOfCaller(caller, caller.projectId, auditedIn(op, { params })))));
      await end(code);
    },
  };
}

/** Returns what a path or an export names. */
function auditedIn({ answer }: Operation, { params, query }: { params?: unknown; query?: unknown }): Audited | null {
  const [name, id] = Object.entries((params ?? {}) as Record<string, string>).at(-1) ?? [];
  if (name !== undefined && id !== undefined) return auditedOf(id.slice(0, ID_CHARACTERS), name.replace(/Id$/, ""));
  const { name: file } = (query ?? {}) as { name?: string };
  return answer === "parquet" && file !== undefined ? { kind: "file", id: file } : null;
}

/** A refused request may name anything. */
const ID_CHARACTERS = 64;

/** Returns what an answer shows as created: the record itself, or its first member that is a record. */
function createdIn(answer: unknown): Audited | null {
  if (typeof answer !== "object" || answer === null) return null;
  for (const record of [answer, ...Object.values(answer)]) {
    const id = (record as { id?: unknown } | null)?.id;
    if (typeof id === "string") return auditedOf(id);
  }
  return null;
}

/** Returns what an id names, by its prefix. */
export function auditedOf(id: string, otherKind = "record"): Audited {
  const prefix = id.slice(0, id.indexOf("_"));
  return { kind: Object.hasOwn(ID_PREFIXES, prefix) ? ID_PREFIXES[prefix as keyof typeof ID_PREFIXES] : otherKind, id };
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof AppError) return error.code;
  return isStoreUnavailable(error) ? "unavailable" : "internal_error";
}
