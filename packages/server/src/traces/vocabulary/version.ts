/** Of what the vocabularies make of spans: one more whenever a reading changes, so that stored conversations are read again. */
export const MAPPING_VERSION = 2;
