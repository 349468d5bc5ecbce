import { queryOptions } from "@tanstack/react-query";
import { clientOf } from "./client.ts";

/** Query for the state of the service: whether it is claimed, whether sign-up is open, and whether it sends mail. */
export const instanceQuery = queryOptions({
  queryKey: ["instance.get"],
  queryFn: ({ signal }) => clientOf().instance.get({}, { signal }),
});
