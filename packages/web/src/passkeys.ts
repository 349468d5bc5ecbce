import type { Answer, Input, Operations } from "@svc/sdk";
import { clientOf } from "./client.ts";

type Options = Answer<Operations["passkeys"]["options"]>;
type NewPasskey = Omit<Input<Operations["passkeys"]["add"]>, "name">;
export type PasskeyProof = Input<Operations["passkeys"]["signIn"]>["passkey"];

/** Passkeys need HTTPS or localhost, and a host name instead of an IP address. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential !== "undefined" && !/^(?:[\d.]+|\[.*\])$/.test(location.hostname);

/** Throws an error with a message for the person when no device creates a passkey. */
export async function makePasskey({ challenge, rp_id, user, algorithms, exclude }: Options): Promise<NewPasskey> {
  const credential = await asked(
    navigator.credentials.create({
      publicKey: {
        challenge: bytesOf(challenge),
        rp: { id: rp_id, name: "svc" },
        user: { id: bytesOf(user.id), name: user.name, displayName: user.display_name },
        pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
        excludeCredentials: exclude.map((id) => ({ type: "public-key", id: bytesOf(id) })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        attestation: "none",
      },
    }),
  );
  const response = credential.response as AuthenticatorAttestationResponse;
  const key = response.getPublicKey();
  if (key === null)
    throw new Error("This device makes a kind of passkey that the service does not take. Use another device.");
  return {
    id: credential.id,
    client_data: textOf(response.clientDataJSON),
    authenticator_data: textOf(response.getAuthenticatorData()),
    public_key: textOf(key),
    algorithm: response.getPublicKeyAlgorithm(),
  };
}

/** Throws an error with a message for the person when no device signs the challenge. */
export async function passkeyOfDevice(): Promise<PasskeyProof> {
  const { challenge, rp_id } = await clientOf().passkeys.challenge();
  const credential = await asked(
    navigator.credentials.get({
      publicKey: { challenge: bytesOf(challenge), rpId: rp_id, userVerification: "required" },
    }),
  );
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    id: credential.id,
    client_data: textOf(response.clientDataJSON),
    authenticator_data: textOf(response.authenticatorData),
    signature: textOf(response.signature),
  };
}

async function asked(request: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await request;
    if (credential !== null) return credential as PublicKeyCredential;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    if (error.name === "InvalidStateError")
      throw new Error("This device has a passkey of your account already.", { cause: error });
  }
  throw new Error("No device gave a passkey. Try again, or use another way.");
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

const textOf = (bytes: ArrayBuffer): string =>
  btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
