/** DuckDB's error messages for damaged data. DuckDB finds damage because every block, header and log entry has a checksum. */
const DAMAGE = /Corrupt (database|WAL) file|Could not read enough bytes|^Serialization Error/;

/** Further messages that mean damage when a file is opened. At other times, they mean a bug in the service or in DuckDB. */
const DAMAGE_AT_OPEN =
  /not a valid DuckDB database file|replaying WAL file|This WAL was created|^(INTERNAL|FATAL|Invalid|Catalog) Error/;

/** DuckDB's error messages for a write that the operating system rejected. */
const NO_WRITE =
  /No space left on device|Could not write|could not write|File too large|Read-only file system|Disk quota exceeded/;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : "");

export const isDamage = (error: unknown) => DAMAGE.test(messageOf(error));

export const isRefusedWrite = (error: unknown) => NO_WRITE.test(messageOf(error));

export const isInterrupted = (error: unknown) => messageOf(error).startsWith("INTERRUPT");

export const isDamageAtOpen = (error: unknown) =>
  !isRefusedWrite(error) && (isDamage(error) || DAMAGE_AT_OPEN.test(messageOf(error)));
