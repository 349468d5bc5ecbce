import { queryOptions } from "@tanstack/react-query";
import { clientOf } from "./client.ts";

export const instanceQuery = queryOptions({
  queryKey: ["instance.get"],
  queryFn: ({ signal }) => clientOf().instance.get({}, { signal }),
});
