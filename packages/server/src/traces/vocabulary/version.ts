/**
 * Increase the version when other turns, tool calls or measures are derived from the same spans. The service then derives stored
 * conversations again.
 */
export const MAPPING_VERSION = 14;
