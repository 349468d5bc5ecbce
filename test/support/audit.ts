import type { AuditLine } from "@svc/contract";
import { expect } from "vitest";
import { type Ask, type Reply, send } from "./request.ts";
import type { World } from "./world.ts";

/** Reads the audit lines of an organization with its admin's credential, oldest first. */
export async function linesOf(
  w: World,
  credential: Partial<Ask> = { key: w.adminKey },
  query = "",
): Promise<AuditLine[]> {
  const reply = await send(w.url, { method: "GET", path: `/v1/audit/export${query}`, ...credential });
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  return reply.text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AuditLine);
}

export const requestIdOf = (reply: Reply) => reply.headers.get("x-request-id")!;

/** Returns the audit lines of the request that got this reply. */
export const linesOfReply = async (w: World, reply: Reply, credential?: Partial<Ask>) =>
  (await linesOf(w, credential)).filter(({ requestId }) => requestId === requestIdOf(reply));
