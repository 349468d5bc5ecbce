const FAULTS: Record<string, string> = {
  ENOENT: "does not exist",
  EISDIR: "is a folder",
  ENOTDIR: "is below a file, not below a folder",
  EACCES: "may not be read by this user",
  EPERM: "may not be read by this user",
};

/** Returns why a file or folder cannot be read, as the end of a sentence that begins with the path. */
export const readFault = (error: unknown): string => {
  const { code = "" } = error as NodeJS.ErrnoException;
  return FAULTS[code] ?? `cannot be read (${code})`;
};
