type Chosen<T> = { status: "supported" | "fixed"; reason?: string; choices?: T[]; value?: T };
export type NotKnown = { status: "unsupported" | "unknown"; reason: string };

export const unsupported = (reason: string): NotKnown => ({ status: "unsupported", reason });

export const unknown = (reason: string): NotKnown => ({ status: "unknown", reason });

export const fixed = <T>(value: T, reason: string): Chosen<T> => ({ status: "fixed", value, reason });

export const supported = <T>(choices: T[], reason?: string, value?: T): Chosen<T> => ({
  status: "supported",
  choices,
  ...(reason !== undefined && { reason }),
  ...(value !== undefined && { value }),
});

/** The sentences that there are, as one text. */
export const sentences = (...parts: (string | undefined)[]): string | undefined =>
  parts.filter((part) => part !== undefined).join(" ") || undefined;
