import type { Config } from "../../base/config/config.ts";
import type { ProviderKeyStore } from "../provider-keys/store.ts";
import { SPEECH_PROVIDERS, type SpeechProviderId } from "./providers.ts";
import { SpeechFailure } from "./speech.ts";

/** Address and credential of a speech provider. `source` tells where an operator corrects them. */
export type SpeechAccess = { address: URL; headers: Record<string, string>; source: "settings" | "key" };

type Sources = {
  keys: ProviderKeyStore;
  config: Pick<Config, "providerKeys" | "speech" | "openSignUp">;
  /** Replaces the addresses of providers in specs. */
  addressOf?: ((provider: SpeechProviderId) => URL) | undefined;
};

export type FindSpeechAccess = (
  organizationId: string,
  provider: SpeechProviderId,
  port: "tts" | "stt",
) => Promise<SpeechAccess>;

/**
 * Finds the credential of a speech provider. For OpenAI, an endpoint in the settings has precedence. Next is the organization's key, and
 * last the deployment's key. The deployment's key is not used when anyone may sign up. Rejects with a `SpeechFailure` when there is no
 * access.
 */
export function createFindSpeechAccess({ keys, config, addressOf }: Sources): FindSpeechAccess {
  return async (organizationId, provider, port) => {
    const { headers, name, address } = SPEECH_PROVIDERS[provider];
    const endpoint = provider === "openai" ? config.speech[port] : undefined;
    if (endpoint) {
      const { baseUrl, apiKey } = endpoint;
      return {
        address: new URL(`${baseUrl}/`),
        headers: apiKey === undefined ? {} : headers(apiKey),
        source: "settings",
      };
    }
    const own = await keys.open(organizationId, provider);
    if (own && own.apiKey === undefined)
      throw new SpeechFailure("refused", `The stored key of ${name} cannot be opened. Set it again. ${SET(provider)}`);
    const apiKey = own?.apiKey ?? (config.openSignUp ? undefined : config.providerKeys[provider]?.apiKey);
    if (apiKey === undefined) throw new SpeechFailure("refused", `${name} needs a key. ${SET(provider)}`);
    return { address: addressOf?.(provider) ?? new URL(address), headers: headers(apiKey), source: "key" };
  };
}

const SET = (provider: string) => `Use \`svc provider-keys set ${provider}\` or the page of provider keys.`;
