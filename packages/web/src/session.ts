import type { Answer, Operations } from "@svc/sdk";
import { queryOptions } from "@tanstack/react-query";
import { clientOf } from "./client.ts";

export type Session = Answer<Operations["accounts"]["session"]>;

/** Fails with `not_authenticated` without a session. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => clientOf().accounts.session({}, { signal }),
  staleTime: 60_000,
});
