import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** The ways in which the fake device, or the page that uses it, can deviate from the standard. */
type Lies = {
  type?: string;
  origin?: string;
  crossOrigin?: boolean;
  rpId?: string;
  flags?: number;
  counter?: number;
  /** Signs with this key instead of the key of the passkey. */
  key?: KeyObject;
};

const base64url = (bytes: Buffer | string) => Buffer.from(bytes).toString("base64url");

/** Returns a fake device with one passkey for the service at the address, as WebAuthn Level 3 describes it. */
export function createAuthenticator(url: string, { kind = "ec" }: { kind?: "ec" | "ed25519" | "rsa" } = {}) {
  const { origin, hostname } = new URL(url);
  const { publicKey, privateKey } =
    kind === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : kind === "rsa"
        ? generateKeyPairSync("rsa", { modulusLength: 2048 })
        : generateKeyPairSync("ed25519");
  const id = randomBytes(32);
  let used = 0;

  const clientData = (type: string, challenge: string, lies: Lies) =>
    JSON.stringify({
      type: lies.type ?? type,
      challenge,
      origin: lies.origin ?? origin,
      crossOrigin: lies.crossOrigin ?? false,
    });

  function head(flags: number, lies: Lies): Buffer {
    const bytes = Buffer.alloc(37);
    createHash("sha256")
      .update(lies.rpId ?? hostname)
      .digest()
      .copy(bytes);
    bytes.writeUInt8(lies.flags ?? flags, 32);
    bytes.writeUInt32BE(lies.counter ?? ++used, 33);
    return bytes;
  }

  return {
    id: base64url(id),

    /** Creates the passkey, as `navigator.credentials.create` does. */
    create(challenge: string, lies: Lies & { id?: Buffer } = {}) {
      const credentialId = lies.id ?? id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const parts = [head(PRESENT | VERIFIED | HAS_CREDENTIAL, lies), Buffer.alloc(16), length, credentialId];
      return {
        id: base64url(id),
        client_data: base64url(clientData("webauthn.create", challenge, lies)),
        authenticator_data: base64url(Buffer.concat(parts)),
        public_key: base64url(publicKey.export({ type: "spki", format: "der" })),
        algorithm: { ec: -7, ed25519: -8, rsa: -257 }[kind],
      };
    },

    /** Signs a challenge, as `navigator.credentials.get` does. */
    get(challenge: string, lies: Lies = {}) {
      const data = head(PRESENT | VERIFIED, lies);
      const client = clientData("webauthn.get", challenge, lies);
      const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
      return {
        id: base64url(id),
        client_data: base64url(client),
        authenticator_data: base64url(data),
        signature: base64url(sign(kind === "ed25519" ? null : "sha256", signed, lies.key ?? privateKey)),
      };
    },
  };
}
