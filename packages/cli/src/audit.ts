import { Flags } from "@oclif/core";
import { AUDIT_OUTCOME_NAMES, type AuditLine } from "@svc/contract";
import { instant } from "./terminal/times.ts";

export const auditFlags = {
  actor: Flags.string({
    description: "Only what this person or key did: an e-mail address, or the id of a person or a key.",
    helpValue: "<who>",
  }),
  operation: Flags.string({
    description: "Only this operation, such as keys.create, or this family, such as keys.",
    helpValue: "<name>",
  }),
  resource: Flags.string({ description: "Only what was done to the resource with this id.", helpValue: "<id>" }),
  outcome: Flags.option({ options: AUDIT_OUTCOME_NAMES, description: "Only lines with this outcome." })(),
  from: Flags.string({
    description: "Only lines from this time on: 30m, 24h or 7d ago, or a time such as 2026-11-21T09:30:00Z.",
    helpValue: "<time>",
  }),
  to: Flags.string({ description: "Only lines from before this time.", helpValue: "<time>" }),
};

type Selected = { [Name in keyof typeof auditFlags]?: string | undefined } & {
  outcome?: AuditLine["outcome"] | undefined;
};

export const filtersOf = ({ actor, operation, resource, outcome, from, to }: Selected) => ({
  actor,
  operation,
  resource,
  outcome,
  from: from === undefined ? undefined : instant(from),
  to: to === undefined ? undefined : instant(to),
});

export function whoOf({ via, email, key }: AuditLine["actor"]): string {
  if (via === "operator") return "the operator";
  if (via === "none") return `someone, as ${email ?? "?"}`;
  return key === null ? (email ?? "?") : `${email ?? "?"}, key ${key.name ?? key.looksLike}`;
}
