type Chosen<T> = { status: "supported" | "fixed"; reason?: string; choices?: T[]; value?: T };
/** Member of the capabilities without a value. `reason` explains why there is no value. */
export type MemberWithoutValue = { status: "unsupported" | "unknown"; reason: string };

export const unsupported = (reason: string): MemberWithoutValue => ({ status: "unsupported", reason });

export const unknown = (reason: string): MemberWithoutValue => ({ status: "unknown", reason });

export const fixed = <T>(value: T, reason: string): Chosen<T> => ({ status: "fixed", value, reason });

export const supported = <T>(choices: T[], reason?: string, value?: T): Chosen<T> => ({
  status: "supported",
  choices,
  ...(reason !== undefined && { reason }),
  ...(value !== undefined && { value }),
});

/** Joins the sentences that are defined. Returns undefined when all are undefined. */
export const sentences = (...parts: (string | undefined)[]): string | undefined =>
  parts.filter((part) => part !== undefined).join(" ") || undefined;
