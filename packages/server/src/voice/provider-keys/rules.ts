import { KEY_PROVIDERS, type KeyProvider, providerKeyProblem } from "@svc/contract";
import { AppError } from "../../base/errors.ts";

/** A key that `decideKey` accepted. */
export type ProviderKeyInput = { provider: KeyProvider; apiKey: string; region: string | null };

/** Returns the key to store; refuses an unknown provider, and a key or region that the provider cannot have. */
export function decideKey(
  provider: string,
  { apiKey, region }: { apiKey: string; region?: string | undefined },
): ProviderKeyInput {
  if (!isKeyProvider(provider))
    throw new AppError(
      "not_found",
      `The service stores no keys for this provider. Choose one of ${Object.keys(KEY_PROVIDERS).join(", ")}.`,
    );
  const problem = providerKeyProblem(provider, { apiKey, region });
  if (problem) throw new AppError("unprocessable", problem);
  return { provider, apiKey, region: region ?? null };
}

const isKeyProvider = (provider: string): provider is KeyProvider => Object.hasOwn(KEY_PROVIDERS, provider);
