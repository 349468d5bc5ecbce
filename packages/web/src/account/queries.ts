import { queryOptions } from "@tanstack/react-query";
import { clientOf } from "../client.ts";

/** The person's sessions, newest first. */
export const sessionsQuery = queryOptions({
  queryKey: ["accounts.listSessions"],
  queryFn: ({ signal }) => clientOf().accounts.listSessions({}, { signal }),
});
