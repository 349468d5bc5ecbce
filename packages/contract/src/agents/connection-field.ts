import { LIMITS } from "../core/limits.ts";
import type { ConfigField, CredentialField } from "./connection-option.ts";

const TEXT_CHARACTERS = 2_000;

type FieldOptions = Partial<Pick<ConfigField, "required" | "maxCharacters" | "protocols" | "choices">>;

/** Returns a field of a connection's `config`. */
export const field = (
  name: string,
  kind: ConfigField["kind"],
  description: string,
  options: FieldOptions = {},
): ConfigField => ({
  name,
  kind,
  required: true,
  description,
  maxCharacters: TEXT_CHARACTERS,
  ...options,
});

/** Returns a field of a connection's `credential`. */
export const secret = (
  name: string,
  description: string,
  kind: CredentialField["kind"] = "secret",
  minCharacters: number = LIMITS.credentialCharactersMin,
): CredentialField => ({
  name,
  kind,
  required: true,
  description,
  minCharacters,
  maxCharacters: LIMITS.credentialCharactersMax,
});

/** Protocols of a URL that the service requests. */
export const HTTP = ["http", "https"];
