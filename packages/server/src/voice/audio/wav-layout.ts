export class WavError extends Error {}

/** Positions and lengths are in bytes. */
export type WavLayout = { channels: number; rate: number; dataStart: number; dataBytes: number };

const PCM = 1;
const EXTENSIBLE = 0xfffe;
const MAX_CHANNELS = 8;

/** Common divisor of the accepted sample rates, in hertz. Other rates would need huge filters for resampling. */
const RATE_STEP = 25;

type Format = { rate: number; channels: number };

/**
 * Reads the header of a WAV file, and skips unknown chunks. If the header lacks the length of the sound (0 or 0xFFFFFFFF), or the file is
 * truncated, the sound ends with the file. Throws a `WavError` for a file that the service cannot read.
 */
export function readWavLayout(head: Buffer, fileBytes = head.length): WavLayout {
  if (head.length < 12 || !["RIFF", "RF64"].includes(idAt(head, 0)) || idAt(head, 8) !== "WAVE") {
    throw new WavError("The sound is no WAV file: it does not start with a RIFF header of type WAVE.");
  }
  let format: Format | null = null;
  for (let at = 12; at + 8 <= head.length;) {
    const id = idAt(head, at);
    const length = head.readUInt32LE(at + 4);
    const start = at + 8;
    if (id === "fmt ") format = formatOf(head.subarray(start, start + length));
    if (id === "data") {
      if (format === null) throw new WavError("The WAV file has its sound before its format.");
      const isOpen = length === 0 || start + length > fileBytes;
      const bytes = isOpen ? fileBytes - start : length;
      return { ...format, dataStart: start, dataBytes: bytes - (bytes % (2 * format.channels)) };
    }
    at = start + length + (length & 1);
  }
  throw new WavError("The WAV file has no data chunk: it breaks off before its sound.");
}

const idAt = (file: Buffer, at: number): string => file.toString("latin1", at, at + 4);

function formatOf(chunk: Buffer): Format {
  if (chunk.length < 16) throw new WavError("The format chunk of the WAV file is too short.");
  const code = chunk.readUInt16LE(0);
  const format = code === EXTENSIBLE && chunk.length >= 26 ? chunk.readUInt16LE(24) : code;
  const channels = chunk.readUInt16LE(2);
  const rate = chunk.readUInt32LE(4);
  const bits = chunk.readUInt16LE(14);
  if (format !== PCM || bits !== 16) {
    throw new WavError(
      `The WAV file has format ${format} with ${bits} bits; only PCM (format 1) with 16 bits is read.`,
    );
  }
  if (channels < 1 || channels > MAX_CHANNELS) {
    throw new WavError(`The WAV file has ${channels} channels; from 1 to ${MAX_CHANNELS} are read.`);
  }
  if (rate < 4_000 || rate > 192_000 || rate % RATE_STEP !== 0) {
    throw new WavError(
      `The WAV file has ${rate} samples per second; multiples of ${RATE_STEP} from 4000 to 192000 are read.`,
    );
  }
  return { rate, channels };
}
