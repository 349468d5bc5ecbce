/** Provenances of values, from the strongest to the weakest. The type `Provenance` explains them. */
export const PROVENANCES = ["heard", "measured", "provider_reported", "approximate", "unavailable"] as const;

/**
 * Source of a value:
 *
 * - `heard`: the recording of a call that the service placed.
 * - `measured`: the times of spans.
 * - `provider_reported`: a statement of the platform.
 * - `approximate`: the times of words, or incomplete data.
 * - `unavailable`: the value is unknown, and a reason says why.
 */
export type Provenance = (typeof PROVENANCES)[number];

/** Provenances of a sample, from the strongest to the weakest. */
export const SAMPLE_PROVENANCES = ["heard", "measured", "provider_reported", "approximate"] as const;
