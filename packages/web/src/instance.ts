import { queryOptions } from "@tanstack/react-query";
import { clientOf } from "./client.ts";

/** Whether the service is claimed, whether sign-up is open, and whether the service sends mail. */
export const instanceQuery = queryOptions({
  queryKey: ["instance.get"],
  queryFn: ({ signal }) => clientOf().instance.get({}, { signal }),
});
