import type { DeploymentKeys } from "../../base/config/config.ts";
import type { ProviderKeyStore } from "../provider-keys/store.ts";
import { sha256 } from "../../base/secrets/secrets.ts";
import type { ListingProvider } from "./sources.ts";
import type { CatalogId } from "./store.ts";
import type { ProviderCredential } from "./voice-source.ts";

export type ListingAccess = { id: CatalogId; credential: ProviderCredential; standardOnly: boolean; isPublic: boolean };

/** Rime lists the same voices for everyone and requires no key. */
const RIME: ListingAccess = {
  id: { owner: "public", provider: "rime", revision: "", ofOrganization: false },
  credential: { apiKey: "", region: undefined },
  standardOnly: false,
  isPublic: true,
};

/**
 * Returns `unreadable` when the service cannot decrypt the organization's key, because the deployment's key must not replace the
 * organization's key silently.
 */
export async function findAccess(
  { keys, deploymentKeys }: { keys: ProviderKeyStore; deploymentKeys: DeploymentKeys },
  organizationId: string,
  provider: ListingProvider,
): Promise<ListingAccess | "no_key" | "unreadable"> {
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
}
