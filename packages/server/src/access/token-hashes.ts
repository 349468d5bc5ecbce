import { kyselyAdapter } from "@better-auth/kysely-adapter";
import { sha256 } from "../base/secrets/secrets.ts";
import type { Db } from "../stores/relational.ts";

type Adapter = ReturnType<ReturnType<typeof kyselyAdapter>>;
type Query = { model: string; where?: { field: string; value: unknown }[] | undefined };
type Row = { token?: string } | null;

/**
 * Returns a database adapter for the sign-in library. It stores the SHA-256 of a session token instead of the token. In the rows that it
 * returns, the token from the library's query replaces the hash.
 */
export const storeWithHashedTokens =
  (db: Db) =>
  (options: Parameters<ReturnType<typeof kyselyAdapter>>[0]): Adapter => {
    // Transactions are off, because hashing a password inside a transaction would block all writers.
    const plain = kyselyAdapter(db, { type: "sqlite", transaction: false })(options);
    const hashed: Adapter = {
      ...plain,
      async create(input) {
        if (input.model !== "session") return plain.create(input);
        const { token } = input.data as unknown as { token: string };
        const row = await plain.create({ ...input, data: { ...input.data, token: sha256(token) } });
        return { ...row, token } as never;
      },
      async findOne(query) {
        const row = await plain.findOne<Row>(hashedQuery(query));
        const token = tokenIn(query);
        return (row && token !== undefined ? { ...row, token } : row) as never;
      },
      findMany: (query) => plain.findMany(hashedQuery(query)),
      update: (query) => plain.update(hashedQuery(query)),
      updateMany: (query) => plain.updateMany(hashedQuery(query)),
      delete: (query) => plain.delete(hashedQuery(query)),
      deleteMany: (query) => plain.deleteMany(hashedQuery(query)),
      count: (query) => plain.count(hashedQuery(query)),
      transaction: (work) => work(hashed as never),
    };
    return hashed;
  };

const isToken = ({ field, value }: { field: string; value: unknown }) => field === "token" && typeof value === "string";

function tokenIn({ model, where = [] }: Query): string | undefined {
  return model === "session" ? (where.find(isToken)?.value as string | undefined) : undefined;
}

function hashedQuery<Q extends Query>(query: Q): Q {
  if (query.model !== "session" || query.where === undefined) return query;
  const where = query.where.map((part) => (isToken(part) ? { ...part, value: sha256(part.value as string) } : part));
  return { ...query, where };
}
