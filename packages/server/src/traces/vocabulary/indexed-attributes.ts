/** What is sent as attributes with an index in their key (`messages.0.role`, `messages.0.content`). */

type Branch = { [segment: string]: unknown };

const DEEPEST = 12;

/** The attributes below a prefix as records in records. */
export function nested(attributes: Readonly<Record<string, unknown>>, prefix: string): Branch {
  const root: Branch = branch();
  for (const key in attributes) {
    if (!key.startsWith(prefix)) continue;
    const segments = key.slice(prefix.length).split(".", DEEPEST);
    const last = segments.pop()!;
    let at = root;
    for (const segment of segments) {
      const below = at[segment];
      at = isBranch(below) ? below : (at[segment] = branch());
    }
    if (!isBranch(at[last])) at[last] = attributes[key];
  }
  return root;
}

/** A list, or what the numbered members of a record hold, by their number. */
export function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isBranch(value)) return [];
  return Object.keys(value)
    .filter((key) => /^\d{1,9}$/.test(key))
    .sort((a, b) => Number(a) - Number(b))
    .map((key) => value[key]);
}

/** Without a prototype, so that no name of a key means anything. */
const branch = (): Branch => Object.create(null) as Branch;

const isBranch = (value: unknown): value is Branch =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
