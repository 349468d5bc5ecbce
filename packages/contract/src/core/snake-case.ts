type Snake<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${Snake<Tail>}`
    : `_${Lowercase<Head>}${Snake<Tail>}`
  : S;

/** The members of a type under their `/api` names. */
export type SnakeCased<T> = { [Key in keyof T as Key extends string ? Snake<Key> : never]: T[Key] };

/** `createdAt` → `created_at`. For names that the contract declares, never for a user's own. */
const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The same members under their `/api` names. Values are not looked into. */
export const snakeCased = <T extends object>(members: T): SnakeCased<T> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [snakeCase(name), value])) as SnakeCased<T>;
