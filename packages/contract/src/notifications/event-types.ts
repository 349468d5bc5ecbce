/** Types of events, with the meaning of each in one sentence. */
export const EVENT_MEANINGS = {
  "run.completed": "A run has ended, and each of its simulations has a verdict. A canceled run counts too.",
  "simulation.failed": "The verdict of a simulation is `failed`.",
  "conversation.failed": "A grader that counts decided against a production conversation.",
  "import.failed": "A call of a platform could not be imported. The service tries again.",
  "import.resolved": "A call whose import had failed was imported.",
  "alert.raised": "A value that an alert rule watches is bad.",
  "alert.cleared": "The value of a raised alert is good again, or the alert rule has changed.",
  "alert.reminded": "The value of a raised alert is still bad, and nobody has acknowledged the alert.",
  "group.opened": "Conversations fail in a new way.",
  "group.regressed": "A resolved failure group failed again.",
  "schedule.missed": "Due times of a schedule passed without a run.",
  "key.created": "Somebody made an API key of the project or of the whole organization.",
  "member.changed": "A person joined the organization, left it, or has another role.",
  "destination.test": "Somebody tested a destination.",
} as const;

/**
 * Types of events that a destination can choose. Two types cannot be chosen: every destination receives its own
 * `destination.test`, and a destination with `alert.raised` also receives `alert.reminded`.
 */
export const EVENT_TYPES = [
  "run.completed",
  "simulation.failed",
  "conversation.failed",
  "import.failed",
  "import.resolved",
  "alert.raised",
  "alert.cleared",
  "group.opened",
  "group.regressed",
  "schedule.missed",
  "key.created",
  "member.changed",
] as const satisfies (keyof typeof EVENT_MEANINGS)[];
