/** A voice as its provider lists it. */
export type ListedVoice = {
  id: string;
  name: string;
  source: "standard" | "account";
  presentation: "male" | "female" | "neutral" | "unknown";
  languages: string[];
  accents: string[];
  models?: string[];
  professionalClone?: boolean;
  emotions?: string[];
};
/** What is known of a provider's voices; `ageSeconds` only when they are a copy because the provider did not answer. */
export type VoiceListing =
  | { state: "listed"; voices: ListedVoice[]; ageSeconds?: number; standardOnly: boolean; cut?: boolean }
  | { state: "no_key" }
  | { state: "failed"; reason: string }
  | { state: "not_listable" };
/** Lists a provider's voices as an organization may see them. */
export type ListVoices = (
  organizationId: string,
  provider: string,
  options: { refresh: boolean; signal?: AbortSignal },
) => Promise<VoiceListing>;
