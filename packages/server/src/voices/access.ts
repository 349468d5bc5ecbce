import type { DeploymentKeys } from "../config.ts";
import type { ProviderKeyStore } from "../provider-keys/store.ts";
import { sha256 } from "../secrets.ts";
import type { ListingProvider } from "./sources.ts";
import type { CatalogId } from "./store.ts";
import type { Credential } from "./voice-source.ts";

/** By which key a provider is asked, and whose list it therefore is. */
export type Access = { id: CatalogId; credential: Credential; standardOnly: boolean; isPublic: boolean };

/** Rime lists the same voices to anybody. */
const RIME: Access = {
  id: { owner: "public", provider: "rime", revision: "", ofOrganization: false },
  credential: { apiKey: "", region: undefined },
  standardOnly: false,
  isPublic: true,
};

/**
 * Chooses the key: the organization's own, else the deployment's, which shows nothing of its account. A key of the
 * organization that cannot be opened is not replaced by another.
 */
export function openAccess(keys: ProviderKeyStore, deploymentKeys: DeploymentKeys) {
  return async (organizationId: string, provider: ListingProvider): Promise<Access | "no_key" | "unreadable"> => {
    if (provider === "rime") return RIME;
    const own = await keys.open(organizationId, provider);
    if (own) {
      const { apiKey, region, revision } = own;
      if (apiKey === undefined) return "unreadable";
      const id = { owner: organizationId, provider, revision, ofOrganization: true };
      return { id, credential: { apiKey, region }, standardOnly: false, isPublic: false };
    }
    const credential = deploymentKeys[provider];
    if (!credential) return "no_key";
    const revision = sha256(`${credential.region}|${credential.apiKey}`);
    const id = { owner: "deployment", provider, revision, ofOrganization: false };
    return { id, credential, standardOnly: true, isPublic: false };
  };
}
