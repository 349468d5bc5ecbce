/** The first items of a list. `more` says whether there are further items. */
export type ListStart<T> = { items: T[]; more: boolean };

/** Returns at most `limit` items. */
export async function take<T>(items: AsyncIterable<T>, limit: number): Promise<ListStart<T>> {
  const taken: T[] = [];
  for await (const item of items) {
    if (taken.length === limit) return { items: taken, more: true };
    taken.push(item);
  }
  return { items: taken, more: false };
}

const LARGEST_PAGE = 200;

/** Returns a page size of one more than the limit. The extra item shows whether there are more. */
export const pageSizeFor = (limit: number): number => Math.min(limit + 1, LARGEST_PAGE);

/** Returns the line to print below a list that was cut, or "". */
export const moreLine = ({ items, more }: ListStart<unknown>): string =>
  more ? `\n\nThere are more than these ${items.length}. Set --limit to see them.` : "";
