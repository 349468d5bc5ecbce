/** The part of the package that the specs use; it has no types of its own. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  type Account = { accountId: string; claims: () => Record<string, unknown> };

  export default class Provider {
    constructor(
      issuer: string,
      configuration: {
        clients: { client_id: string; client_secret: string; redirect_uris: string[] }[];
        claims: Record<string, string[]>;
        ttl: Record<string, number>;
        cookies: { keys: string[] };
        jwks?: unknown;
        findAccount: (context: unknown, id: string) => Account;
      },
    );
    callback(): RequestListener;
  }
}
