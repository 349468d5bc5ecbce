import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Defaults of RFC 6238, which all authenticator apps support: SHA-1, six digits, 30 seconds. */
const STEP_MS = 30_000;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** Number of steps by which a phone's clock may differ from the clock of this service. */
const STEPS_AWAY = 1;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const newTotpSecret = (): string => base32(randomBytes(SECRET_BYTES));

export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

export function stepOf(secret: string, code: string, nowMs: number): number | undefined {
  const typed = Buffer.from(code.replaceAll(/\s/g, ""));
  const now = Math.floor(nowMs / STEP_MS);
  let found: number | undefined;
  for (let step = now - STEPS_AWAY; step <= now + STEPS_AWAY; step++) {
    const expected = Buffer.from(codeAt(secret, step));
    if (typed.length === expected.length && timingSafeEqual(typed, expected)) found ??= step;
  }
  return found;
}

export const totpCodeAt = (secret: string, nowMs: number): string => codeAt(secret, Math.floor(nowMs / STEP_MS));

function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const truncated = digest.readUInt32BE(digest.at(-1)! & 0xf) & 0x7fff_ffff;
  return String(truncated % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** Returns the bytes in Base32 (RFC 4648) without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replaceAll(/.{1,5}/g, (five) => ALPHABET[parseInt(five.padEnd(5, "0"), 2)]!);
}

function bytesOf(secret: string): Buffer {
  const bits = Array.from(secret, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
}
