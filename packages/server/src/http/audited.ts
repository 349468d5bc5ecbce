import { ID_PREFIXES, type Operation } from "@svc/contract";
import type { ErrorCode } from "@svc/contract/constants";
import type { Context } from "koa";
import type { Caller } from "../access/caller.ts";
import { AppError } from "../base/errors.ts";
import { maskSecrets } from "../base/log/log.ts";
import { isStoreUnavailable } from "../stores/relational.ts";

export type Audited = { kind: string; id: string };

/** Who sent a request. Without a credential, `userId` is the person whose account the request concerns. */
export type Actor = {
  via: "session" | "key" | "none" | "operator";
  userId: string | null;
  sessionId: string | null;
  keyId: string | null;
};

export type NewLine = {
  /** Undefined means all organizations of the actor. */
  organizationId?: string | undefined;
  operation: string;
  actor: Actor;
  address: string | null;
  requestId: string | null;
  projectId: string | null;
  resource: Audited | null;
  /** What the request asked for, when the name of the operation does not say it. Default: null. */
  detail?: string | null;
};

export type LineOutcome = { error: ErrorCode | null; created: Audited | null };

/** The audit log. The service only adds lines and sets their outcome. */
export type AuditTrail = {
  /**
   * Writes the line in each of its organizations and returns the ids. Rejects when it cannot write, so that no operation runs without a
   * line.
   */
  begin: (line: NewLine) => Promise<string[]>;
  /** Sets the outcome of the lines. If that fails, only the service's log reports it, and the lines keep the outcome `unknown`. */
  end: (lineIds: readonly string[], outcome: LineOutcome) => Promise<void>;
  /** Runs work on audit lines in the background, so that no answer waits for it. */
  later: (work: () => Promise<void>) => void;
  /** Returns whether the actor has an equal line from the last hour. */
  hasRead: (line: NewLine) => Promise<boolean>;
  /** Returns true for the first rejected request of a caller to an operation in a minute, and false for the further ones. */
  mayNoteRefusal: (caller: Caller, operation: string) => Promise<boolean>;
};

export type AccountAudit = {
  /**
   * Writes an audit line about this person. Call `concerns` before the change. Without an organization, all organizations of the person get
   * the line.
   */
  concerns: (person: { userId: string; sessionId?: string | null; organizationId?: string }) => Promise<void>;
  /**
   * Writes a line for these accounts in the background. The answer does not wait for it, because the time of the answer would show a
   * stranger whether an address has an account.
   */
  accountsAt: (find: () => Promise<readonly { userId: string }[]>) => void;
  created: (id: string) => void;
};

export type AuditedRequest = ReturnType<typeof auditRequest>;

/** Matches a `Range` header that does not start at byte 0. A media element reads a recording in parts; only the first part gets a line. */
const LATER_PART = /^bytes=0*[1-9]/;

/** Returns the functions that write the audit lines of one request. This function itself writes no line. */
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

    /** Writes the line of the request. Call `begin` before the operation changes anything. */
    async begin(
      caller: Caller,
      projectId: string | undefined,
      input: { params: unknown; query: unknown; body: unknown },
    ): Promise<void> {
      const line = {
        ...lineOfCaller(caller, projectId ?? caller.projectId, auditedIn(op, input)),
        detail: detailIn(op, input.body),
      };
      if (LATER_PART.test(ctx.get("Range")) && op.answer === "audio" && (await trail.hasRead(line))) return;
      lineIds.push(...(await trail.begin(line)));
    },

    async done(answer: unknown): Promise<void> {
      if (op.audit !== "account" && (op.status === 201 || op.params === undefined)) created = createdIn(answer);
      await end(null);
    },

    /** Ends the line of a failed request. A request that lacked a permission gets a line although its operation did not begin. */
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

function auditedIn({ answer }: Operation, { params, query }: { params?: unknown; query?: unknown }): Audited | null {
  const [name, id] = Object.entries((params ?? {}) as Record<string, string>).at(-1) ?? [];
  if (name !== undefined && id !== undefined) return auditedOf(shown(id), name.replace(/Id$/, ""));
  const { name: file } = (query ?? {}) as { name?: string };
  return answer === "parquet" && file !== undefined ? { kind: "file", id: shown(file) } : null;
}

function detailIn({ auditedMembers = [] }: Operation, body: unknown): string | null {
  const sent = (body ?? {}) as Record<string, unknown>;
  const shownMembers = auditedMembers.filter((name) => sent[name] !== undefined);
  return shownMembers.length === 0 ? null : shownMembers.map((name) => `${name}: ${String(sent[name])}`).join(", ");
}

/** Masks and cuts an id from a request: a client may send any text there, even an API key by mistake. */
const shown = (id: string) => maskSecrets(id).slice(0, ID_CHARACTERS);
const ID_CHARACTERS = 64;

/** Returns the created record in an answer: the answer itself, or its first member that is a record. */
function createdIn(answer: unknown): Audited | null {
  if (typeof answer !== "object" || answer === null) return null;
  for (const record of [answer, ...Object.values(answer)]) {
    const id = (record as { id?: unknown } | null)?.id;
    if (typeof id === "string") return auditedOf(id);
  }
  return null;
}

/** Returns what kind of record an id names, from the id's prefix. */
export function auditedOf(id: string, otherKind = "record"): Audited {
  const prefix = id.slice(0, id.indexOf("_"));
  return { kind: Object.hasOwn(ID_PREFIXES, prefix) ? ID_PREFIXES[prefix as keyof typeof ID_PREFIXES] : otherKind, id };
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof AppError) return error.code;
  return isStoreUnavailable(error) ? "unavailable" : "internal_error";
}
