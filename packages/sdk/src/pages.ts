type CursorPage<T> = { items: T[]; next_cursor: string | null };

/**
 * Every item of an `/api` list, page by page as it is consumed:
 * `for await (const test of pages((cursor) => client.tests.list({ cursor }))) …`
 */
export async function* pages<T>(list: (cursor: string | undefined) => Promise<CursorPage<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page = await list(cursor);
    yield* page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/**
 * Every item of a `/v1` list, whose plural member is named:
 * `for await (const suite of tokenPages("testSuites", (pageToken) => client.suites.list({ pageToken }))) …`
 */
export async function* tokenPages<K extends string, T>(
  member: K,
  list: (pageToken: string | undefined) => Promise<Record<K, T[]> & { nextPageToken: string | null }>,
): AsyncGenerator<T> {
  let token: string | undefined;
  do {
    const page = await list(token);
    yield* page[member];
    token = page.nextPageToken ?? undefined;
  } while (token !== undefined);
}
