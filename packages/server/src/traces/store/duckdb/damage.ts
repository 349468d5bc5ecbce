/** DuckDB's messages for bytes that it did not write: every block, header and log entry of its files has a checksum. */
const DAMAGE = /Corrupt (database|WAL) file|Could not read enough bytes|^Serialization Error/;

/** Further messages of a damaged file when it is opened; later they mean a defect of ours or of the engine. */
const DAMAGE_AT_OPEN =
  /not a valid DuckDB database file|replaying WAL file|This WAL was created|^(INTERNAL|FATAL|Invalid|Catalog) Error/;

/** DuckDB's messages when the system refuses a write. */
const NO_WRITE =
  /No space left on device|Could not write|could not write|File too large|Read-only file system|Disk quota exceeded/;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : "");

/** Returns whether the engine found damage in its files. */
export const isDamage = (error: unknown) => DAMAGE.test(messageOf(error));

/** Returns whether the system refused a write, for example because the disk is full. */
export const isRefusedWrite = (error: unknown) => NO_WRITE.test(messageOf(error));

/** Returns whether a deadline ended the query. */
export const isInterrupted = (error: unknown) => messageOf(error).startsWith("INTERRUPT");

/** Returns whether the database cannot be opened because its files are damaged. */
export const isDamageAtOpen = (error: unknown) =>
  !isRefusedWrite(error) && (isDamage(error) || DAMAGE_AT_OPEN.test(messageOf(error)));
