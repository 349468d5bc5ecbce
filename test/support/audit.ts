import type { AuditLine } from "@svc/contract";
import { expect } from "vitest";
import { type Ask, type Reply, send } from "./request.ts";
import type { World } from "./world.ts";

/** Returns the lines of an organization, oldest first, by its admin's credential. */
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

/** Returns the lines of the request that the reply answers. */
export const linesOfReply = async (w: World, reply: Reply, credential?: Partial<Ask>) =>
  (await linesOf(w, credential)).filter(({ requestId }) => requestId === requestIdOf(reply));
