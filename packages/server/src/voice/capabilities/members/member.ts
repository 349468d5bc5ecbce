type Chosen<T> = { status: "supported" | "fixed"; reason?: string; choices?: T[]; value?: T };
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

export const sentences = (...parts: (string | undefined)[]): string | undefined =>
  parts.filter((part) => part !== undefined).join(" ") || undefined;
