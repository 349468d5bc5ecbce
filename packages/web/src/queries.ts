import { QueryClient } from "@tanstack/react-query";
import { SvcError } from "@svc/sdk";

/** Holds what the service answered. An answer older than its `staleTime` is asked for again while it is shown. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => error instanceof SvcError && error.status === 0 && failures < 5,
      retryDelay: (attempt) => Math.min(1_000 * 2 ** attempt, 30_000),
      throwOnError: false,
    },
  },
});
