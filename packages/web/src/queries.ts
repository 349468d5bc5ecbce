import { type CallOptions, type CursorPage, pages, SvcError, type TokenPage } from "@svc/sdk";
import { QueryClient } from "@tanstack/react-query";

const MAX_RETRIES = 5;

export const isSessionEnd = (error: unknown): boolean =>
  error instanceof SvcError && error.code === "not_authenticated";

/** A page that shows an answer older than its `staleTime` fetches it again. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => error instanceof SvcError && error.status === 0 && failures < MAX_RETRIES,
      retryDelay: (attempt) => Math.min(1_000 * 2 ** attempt, 30_000),
    },
  },
});

/** Without names of operations, fetches all answers of the project again. */
export const refresh = (place: { organizationId: string; projectId: string }, ...operations: string[]) =>
  Promise.all(
    (operations.length === 0 ? [[]] : operations.map((operation) => [operation])).map((names) =>
      queries.invalidateQueries({ queryKey: [place.organizationId, place.projectId, ...names] }),
    ),
  );

/** Fetches pages of the maximum size, unless the operation has a `limit`. */
export const allOf = <Input extends object, Page extends CursorPage | TokenPage>(
  list: (input: Input, options?: CallOptions) => Promise<Page>,
  input: Partial<Input> & Omit<Input, "cursor" | "pageToken">,
  signal: AbortSignal,
) => Array.fromAsync(pages(list, "limit" in input ? input : { pageSize: 200, ...input }, { signal }));
