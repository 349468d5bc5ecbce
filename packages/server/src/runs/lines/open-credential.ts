import type { ConnectionCredential } from "@svc/contract";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import type { LineContext } from "./line-type.ts";
import { LineFailure } from "./line.ts";

export type CredentialOf = (connectionId: string) => Pick<LineContext, "apiKey" | "credential">;

export function createCredentialOf(sealed: Pick<SealedCredentials, "open">): CredentialOf {
  return (connectionId) => {
    async function credential(): Promise<ConnectionCredential> {
      const secret = await sealed.open(connectionId);
      if (secret !== undefined) return JSON.parse(secret);
      throw new LineFailure("credential_rejected", "The connection's credential cannot be opened; enter it again.");
    }
    return { credential, apiKey: async () => (await credential())["apiKey"] as string };
  };
}
