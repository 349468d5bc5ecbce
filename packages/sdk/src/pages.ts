import type { CallOptions } from "./options.ts";

/** Page of an `/api` list. */
export type CursorPage = { items: unknown[]; next_cursor: string | null };
/** Page of a `/v1` list. The page also has an array of items, whose name depends on the list, such as `runs`. */
export type TokenPage = { nextPageToken: string | null };

type Items<Page> = Page extends { items: (infer Item)[]; next_cursor: string | null }
  ? Item
  : { [Name in keyof Page]: Page[Name] extends (infer Item)[] ? Item : never }[keyof Page];

/**
 * Yields all items of a list, page by page. Works with every operation that returns pages, under `/api` and under `/v1`. Requests the
 * next page only when the loop needs it.
 *
 * ```ts
 * for await (const test of pages(client.tests.list, { limit: 200 })) console.log(test.name);
 * for await (const run of pages(client.runs.list, { status: "completed" })) console.log(run.id);
 * const agents = await Array.fromAsync(pages(client.agents.list));
 * ```
 *
 * @param list - a method of a client that returns pages.
 * @param input - the filters and the page size. May contain the cursor or the token of the first page.
 * @param options - options of each call. When `signal` aborts, the iteration rejects with the signal's reason.
 * @throws SvcError when a request fails.
 */
export async function* pages<Input extends object, Page extends CursorPage | TokenPage>(
  list: (input: Input, options?: CallOptions) => Promise<Page>,
  input: Partial<Input> & Omit<Input, "cursor" | "pageToken"> = {} as Input,
  options: CallOptions = {},
): AsyncGenerator<Items<Page>, void, undefined> {
  let next = {};
  for (;;) {
    const page: Page = await list({ ...input, ...next } as Input, options);
    const { items, following } = "next_cursor" in page ? cursorPage(page) : tokenPage(page);
    yield* items as Items<Page>[];
    if (following === undefined) return;
    next = following;
  }
}

type ReadPage = { items: unknown[]; following: object | undefined };

const cursorPage = ({ items, next_cursor: cursor }: CursorPage): ReadPage => ({
  items,
  following: cursor === null ? undefined : { cursor },
});

const tokenPage = ({ nextPageToken: pageToken, ...page }: TokenPage): ReadPage => ({
  items: Object.values(page).find(Array.isArray) ?? [],
  following: pageToken === null ? undefined : { pageToken },
});
