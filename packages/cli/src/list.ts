/** A list as far as it was asked for; `more` tells that there is more. */
type Listed<T> = { items: T[]; more: boolean };

export async function take<T>(items: AsyncIterable<T>, limit: number): Promise<Listed<T>> {
  const taken: T[] = [];
  for await (const item of items) {
    if (taken.length === limit) return { items: taken, more: true };
    taken.push(item);
  }
  return { items: taken, more: false };
}

const LARGEST_PAGE = 200;

/** One item over the limit tells whether there is more. */
export const pageSizeFor = (limit: number): number => Math.min(limit + 1, LARGEST_PAGE);

/** The line under a list that was cut. */
export const moreBelow = ({ items, more }: Listed<unknown>): string =>
  more ? `\n\nThere are more than these ${items.length}: see them with --limit.` : "";
