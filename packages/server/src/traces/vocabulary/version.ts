/** Increase the version when any reading changes, so that the service reads stored conversations again. */
export const MAPPING_VERSION = 13;
