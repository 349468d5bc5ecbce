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
/** The voices that a provider lists. `ageSeconds` is present only for an older copy, which is used while the provider is unavailable. */
export type VoiceListing =
  | { state: "listed"; voices: ListedVoice[]; ageSeconds?: number; standardOnly: boolean; cut?: boolean }
  | { state: "no_key" }
  | { state: "failed"; reason: string }
  | { state: "not_listable" };
export type ListVoices = (
  organizationId: string,
  provider: string,
  options: { refresh: boolean; signal?: AbortSignal },
) => Promise<VoiceListing>;
