import { createHash, createPublicKey, type KeyObject, timingSafeEqual, verify } from "node:crypto";
import { AppError } from "../../base/errors.ts";

// Checks of WebAuthn Level 3, sections 7.1 and 7.2, for credentials without an attestation. Nothing signs the data of a new
// credential, so the service uses the public key that the browser sends. The service does not read the same key in COSE form from
// the authenticator data.

/** Bytes are in base64url. */
type Given = { id: string; client_data: string; authenticator_data: string };
export type GivenProof = Given & { signature: string };
export type GivenPasskey = Given & { public_key: string; algorithm: number };

/** Where the passkey has to be used: host name of the service, and origins of its pages. */
export type Place = { rpId: string; origins: ReadonlySet<string> };

/**
 * Supported algorithms by COSE number: which public keys are valid, and the digest of the signature (null when the algorithm has its
 * own).
 */
const ALGORITHMS: Record<number, { isKey: (key: KeyObject) => boolean; digest: string | null }> = {
  [-7]: {
    isKey: ({ asymmetricKeyType, asymmetricKeyDetails }) =>
      asymmetricKeyType === "ec" && asymmetricKeyDetails?.namedCurve === "prime256v1",
    digest: "sha256",
  },
  [-8]: { isKey: ({ asymmetricKeyType }) => asymmetricKeyType === "ed25519", digest: null },
  [-257]: {
    isKey: ({ asymmetricKeyType, asymmetricKeyDetails }) =>
      asymmetricKeyType === "rsa" && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048,
    digest: "sha256",
  },
};

/** COSE numbers of the supported algorithms, the preferred one first. */
export const PASSKEY_ALGORITHMS: readonly number[] = [-7, -8, -257];

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;
/** Length of the digest of the host name, the flags and the counter. */
const HEAD_BYTES = 37;
const AAGUID_BYTES = 16;

/** Returns the challenge in the browser's client data; an empty string when it has none or cannot be parsed. */
export function challengeIn({ client_data }: Given): string {
  const { challenge } = clientDataIn(client_data);
  return typeof challenge === "string" ? challenge : "";
}

/**
 * Throws when the passkey was made for another host or page, without a check of the person, or with a key that the
 * service does not support.
 */
export function readNewPasskey(given: GivenPasskey, place: Place): { counter: number } {
  requireClientData(given, "webauthn.create", place);
  const { flags, counter, rest } = authenticatorData(given, place);
  if ((flags & HAS_CREDENTIAL) === 0) throw refused("it has no credential");
  const length = rest.length < AAGUID_BYTES + 2 ? 0 : rest.readUInt16BE(AAGUID_BYTES);
  const id = rest.subarray(AAGUID_BYTES + 2, AAGUID_BYTES + 2 + length);
  if (length === 0 || id.toString("base64url") !== given.id) throw refused("it has another id");
  keyIn(given);
  return { counter };
}

export function readProof(
  given: GivenProof,
  stored: { public_key: string; algorithm: number; rp_id: string },
  place: Place,
): { counter: number } {
  if (stored.rp_id !== place.rpId) throw refused(`it works at ${stored.rp_id} only`);
  requireClientData(given, "webauthn.get", place);
  const { counter } = authenticatorData(given, place);
  const clientDigest = createHash("sha256").update(bytesOf(given.client_data)).digest();
  const signed = Buffer.concat([bytesOf(given.authenticator_data), clientDigest]);
  if (!verify(ALGORITHMS[stored.algorithm]!.digest, signed, keyIn(stored), bytesOf(given.signature)))
    throw refused("its signature does not match");
  return { counter };
}

function requireClientData({ client_data }: Given, type: string, { origins }: Place): void {
  const data = clientDataIn(client_data);
  if (data["type"] !== type) throw refused("it was made for something else");
  if (typeof data["origin"] !== "string" || !origins.has(data["origin"])) throw refused("another page asked for it");
  if (data["crossOrigin"] === true) throw refused("a page inside of another one asked for it");
}

function authenticatorData({ authenticator_data }: Given, { rpId }: Place) {
  const bytes = bytesOf(authenticator_data);
  if (bytes.length < HEAD_BYTES) throw refused("its data is cut off");
  const expected = createHash("sha256").update(rpId).digest();
  if (!timingSafeEqual(bytes.subarray(0, expected.length), expected)) throw refused("it is of another host");
  const flags = bytes.readUInt8(32);
  if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0)
    throw refused("the device did not check who you are; use one with a PIN, a fingerprint or a face");
  return { flags, counter: bytes.readUInt32BE(33), rest: bytes.subarray(HEAD_BYTES) };
}

function keyIn({ public_key, algorithm }: { public_key: string; algorithm: number }): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: bytesOf(public_key), format: "der", type: "spki" });
  } catch {
    throw refused("its key cannot be read");
  }
  if (ALGORITHMS[algorithm]?.isKey(key) !== true) throw refused("its key is of a kind that the service does not take");
  return key;
}

function clientDataIn(text: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(bytesOf(text).toString("utf8"));
    return typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const bytesOf = (text: string) => Buffer.from(text, "base64url");

/** Returns the error for a rejected passkey. `why` completes "because …". */
export const refused = (why: string) =>
  new AppError(
    "not_permitted",
    `The service does not take this passkey, because ${why}. Try again, or sign in with your password.`,
  );
