// Some senders flatten lists. They put the index of an item into the key, as in `messages.0.role` and `messages.0.content`.

type Branch = { [segment: string]: unknown };

const DEEPEST = 12;

/** Returns the attributes with the prefix as nested objects, with one level for each segment of a key. */
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

/** For a nested object with numbered keys, returns the values in the order of the numbers. */
export function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isBranch(value)) return [];
  return Object.keys(value)
    .filter((key) => /^\d{1,9}$/.test(key))
    .sort((a, b) => Number(a) - Number(b))
    .map((key) => value[key]);
}

// Creates an object without a prototype, in which even `__proto__` is an ordinary key.
const branch = (): Branch => Object.create(null) as Branch;

const isBranch = (value: unknown): value is Branch =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
