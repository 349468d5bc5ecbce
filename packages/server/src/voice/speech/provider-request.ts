import { randomUUID } from "node:crypto";

/** Request to a provider, without its credential. */
export type ProviderRequest = {
  /** Path relative to the provider's address. */
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
} & ({ json: unknown } | { body: { type: string; bytes: Buffer } });

export function formOf(fields: Record<string, string | null>, file: Buffer): { type: string; bytes: Buffer } {
  const boundary = `svc-${randomUUID()}`;
  const texts = Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="turn.wav"\r\ncontent-type: audio/wav\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([Buffer.from(texts.join("") + head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}

/** Returns a language tag without its region, the form that most providers use. */
export const baseLanguage = (tag: string): string => new Intl.Locale(tag).language;
