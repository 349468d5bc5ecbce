import { type AuditLine, type AuditOutcome, ERRORS, type ErrorCode } from "@svc/contract";
import { looksLike } from "../../base/secrets/secrets.ts";
import type { Schema } from "../../stores/schema.ts";

/** `ended` is null while the line has no outcome. */
export type LineRow = Schema["audit_lines"] & Omit<Schema["audit_outcomes"], "line_id"> & { ended: string | null };

/** Error codes for faults of the service. All other codes mean that the service rejected the request. */
export const FAULTS = Object.entries(ERRORS).flatMap(([code, { status }]) =>
  status >= 500 ? [code as ErrorCode] : [],
);

function outcomeOf({ ended, error }: Pick<LineRow, "ended" | "error">): AuditOutcome {
  if (ended === null) return "unknown";
  if (error === null) return "done";
  return (FAULTS as string[]).includes(error) ? "failed" : "refused";
}

export function presentLine(row: LineRow): AuditLine {
  const resourceId = row.created_id ?? row.resource_id;
  return {
    id: row.id,
    at: row.created_at,
    operation: row.operation,
    outcome: outcomeOf(row),
    error: row.error,
    actor: {
      via: row.via,
      userId: row.user_id,
      email: row.email,
      sessionId: row.session_id,
      key:
        row.key_id === null ? null : { id: row.key_id, name: row.key_name, looksLike: looksLike(row.key_last_four!) },
    },
    address: row.address,
    requestId: row.request_id,
    projectId: row.project_id,
    resource: resourceId === null ? null : { kind: (row.created_kind ?? row.resource_kind)!, id: resourceId },
    detail: row.detail,
  };
}
