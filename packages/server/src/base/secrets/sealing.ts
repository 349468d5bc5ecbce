import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { sha256 } from "./secrets.ts";

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type Sealing = {
  /** Returns an envelope with the encrypted text. `open` decrypts it only for the same `owner`, the id of a record. */
  seal: (text: string, owner: string) => string;
  /**
   * Returns the text in an envelope; undefined when the envelope has another owner, was altered, or needs a key that the service does not
   * have.
   */
  open: (envelope: string, owner: string) => string | undefined;
  /** Id of the key that encrypts new envelopes. Each envelope contains the id of its key. */
  keyId: string;
  keyIdOf: (envelope: string) => string | undefined;
  hasKeyOf: (envelope: string) => boolean;
};

type Key = { id: string; bytes: Buffer };

/** Returns the keys in a setting or a file, the newest first. Commas or white space separate them. */
export const sealingKeysIn = (material: string): string[] => material.split(/[\s,]+/).filter((key) => key !== "");

/** Creates a sealing with AES-256-GCM. The first key in `material` encrypts new envelopes; all keys in `material` decrypt. */
export function createSealing(material: string): Sealing {
  const keys = sealingKeysIn(material).map(deriveKey);
  const [current] = keys;
  if (!current) throw new Error("The encryption key is missing. Set SVC_ENCRYPTION_KEY to at least 32 characters.");

  return {
    keyId: current.id,
    keyIdOf: (envelope) => envelope.split(".")[1],
    hasKeyOf: (envelope) => keys.some(({ id }) => id === envelope.split(".")[1]),

    seal(text, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", current.bytes, nonce).setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return [VERSION, current.id, nonce.toString("base64url"), sealed.toString("base64url")].join(".");
    },

    open(envelope, owner) {
      const [version, keyId, nonce, sealed] = envelope.split(".");
      const key = keys.find(({ id }) => id === keyId);
      if (version !== VERSION || !key || nonce === undefined || sealed === undefined) return undefined;
      const bytes = Buffer.from(sealed, "base64url");
      try {
        const decipher = createDecipheriv("aes-256-gcm", key.bytes, Buffer.from(nonce, "base64url"))
          .setAAD(Buffer.from(owner))
          .setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

function deriveKey(material: string): Key {
  const bytes = Buffer.from(hkdfSync("sha256", material, "", "svc credentials", 32));
  return { id: sha256(bytes.toString("hex")).slice(0, 8), bytes };
}
