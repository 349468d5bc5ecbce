import { QueryClient } from "@tanstack/react-query";
import { SvcError } from "@svc/sdk";

const MAX_RETRIES = 5;

/** Returns whether an error says that the session has ended. */
export const isSessionEnd = (error: unknown): boolean =>
  error instanceof SvcError && error.code === "not_authenticated";

/** Holds the service's answers. A page that shows an answer older than its `staleTime` asks for it again. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => error instanceof SvcError && error.status === 0 && failures < MAX_RETRIES,
      retryDelay: (attempt) => Math.min(1_000 * 2 ** attempt, 30_000),
    },
  },
});
