type CursorPage<T> = { items: T[]; next_cursor: string | null };

/**
 * Yields every item of an `/api` list. It requests the next page only when the loop reaches it.
 *
 * ```ts
 * for await (const test of pages((cursor) => client.tests.list({ cursor }))) console.log(test.name);
 * ```
 *
 * @param list - requests one page; `cursor` is undefined for the first page.
 * @throws SvcError when a request fails.
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
 * Yields every item of a `/v1` list. It requests the next page only when the loop reaches it.
 *
 * ```ts
 * for await (const suite of tokenPages("testSuites", (pageToken) => client.suites.list({ pageToken }))) console.log(suite.name);
 * ```
 *
 * @param member - name of the array in the answer, such as `testSuites`.
 * @param list - requests one page; `pageToken` is undefined for the first page.
 * @throws SvcError when a request fails.
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
