/** Reasons why a recording is missing although the service tried to record or fetch it, with their meanings. */
export const RECORDING_PROBLEMS = {
  disk_full: "The recording could not be kept: the disk of the service was full. Free space on it.",
  not_written:
    "The recording could not be kept: the disk of the service failed. The log of the service holds the cause.",
  unreadable: "The recording is no WAV file with 16-bit samples, so it cannot be played here.",
  too_large: "The recording exceeds the size that the service fetches.",
  not_fetched: "The platform did not hand out the recording.",
  lost: "The file of the recording is missing from the service's data. Restore it from a backup.",
} as const;

/** Reason why a recording is missing. */
export type RecordingProblem = keyof typeof RECORDING_PROBLEMS;
