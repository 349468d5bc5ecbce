/** The version of the vocabularies. Increase it when any reading changes, so that stored conversations are read again. */
export const MAPPING_VERSION = 11;
