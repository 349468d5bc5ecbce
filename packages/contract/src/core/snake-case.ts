type Snake<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${Snake<Tail>}`
    : `_${Lowercase<Head>}${Snake<Tail>}`
  : S;

/** `T` with its property names in snake_case, as `/api` operations use them. */
export type SnakeCased<T> = { [Key in keyof T as Key extends string ? Snake<Key> : never]: T[Key] };

/** Converts `createdAt` to `created_at`. Use it only for names that the contract declares, never for names from a user. */
const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns a copy with property names in snake_case. Names inside nested values do not change. */
export const snakeCased = <T extends object>(members: T): SnakeCased<T> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [snakeCase(name), value])) as SnakeCased<T>;
