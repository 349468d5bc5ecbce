export type ListStart<T> = { items: T[]; more: boolean };

export async function take<T>(items: AsyncIterable<T>, limit: number): Promise<ListStart<T>> {
  const taken: T[] = [];
  for await (const item of items) {
    if (taken.length === limit) return { items: taken, more: true };
    taken.push(item);
  }
  return { items: taken, more: false };
}

const LARGEST_PAGE = 200;

/** The page size is one more than the limit, so that `take` can see whether there are more items. */
export const pageSizeFor = (limit: number): number => Math.min(limit + 1, LARGEST_PAGE);

export const moreLine = ({ items, more }: ListStart<unknown>): string =>
  more ? `\n\nThere are more than these ${items.length}. Set --limit to see them.` : "";
