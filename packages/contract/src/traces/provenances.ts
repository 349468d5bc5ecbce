/** The provenances of values, from the strongest to the weakest. `Provenance` explains each. */
export const PROVENANCES = ["heard", "measured", "provider_reported", "approximate", "unavailable"] as const;

/**
 * The source of a value: `heard` comes from the sound of a call that the service placed, `measured` comes from the times of
 * spans, `provider_reported` is the platform's own statement, `approximate` comes from word times or incomplete data, and
 * `unavailable` means unknown, with a reason.
 */
export type Provenance = (typeof PROVENANCES)[number];

/** The provenances of a sample, from the strongest to the weakest. */
export const SAMPLE_PROVENANCES = ["heard", "measured", "provider_reported", "approximate"] as const;
