import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { LineFailure } from "./line.ts";

/**
 * Returns the function that opens the API key in a connection's credential. It rejects with a `LineFailure` when the credential
 * cannot be opened.
 */
export const createApiKeyOf =
  (sealed: Pick<SealedCredentials, "open">) =>
  async (connectionId: string): Promise<string> => {
    const secret = await sealed.open(connectionId);
    const { apiKey }: { apiKey?: string } = secret === undefined ? {} : JSON.parse(secret);
    if (apiKey !== undefined) return apiKey;
    throw new LineFailure("credential_rejected", "The connection's credential cannot be opened; enter it again.");
  };
