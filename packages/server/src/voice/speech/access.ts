import type { Config } from "../../base/config/config.ts";
import type { ProviderKeyStore } from "../provider-keys/store.ts";
import { BUILT_IN } from "./flite/voices.ts";
import { SPEECH_PROVIDERS, type SpeechProvider, type SpeechProviderId, speechProviderOf } from "./providers.ts";
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

export type ModelAccess = "ready" | "needs_key" | "not_used";

export type FindModelAccess = (
  organizationId: string,
) => Promise<(port: "tts" | "stt", provider: string, model: string) => ModelAccess>;

/** Returns a function that says whether calls of the organization can use a speech model. */
export function createFindModelAccess({ keys, config }: Omit<Sources, "addressOf">): FindModelAccess {
  return async (organizationId) => {
    const own = new Set((await keys.list(organizationId)).map(({ provider }) => provider));
    return (port, provider, model) => {
      if (provider === BUILT_IN.provider) return "ready";
      const id = speechProviderOf(provider);
      if (id === undefined) return "not_used";
      const { stt }: SpeechProvider = SPEECH_PROVIDERS[id];
      if (port === "stt" && stt.problem?.(model) !== undefined) return "not_used";
      const hasEndpoint = id === "openai" && config.speech[port] !== undefined;
      const hasKey = own.has(id) || (!config.openSignUp && config.providerKeys[id] !== undefined);
      return hasEndpoint || hasKey ? "ready" : "needs_key";
    };
  };
}

const SET = (provider: string) => `Use \`svc provider-keys set ${provider}\` or the page of provider keys.`;
