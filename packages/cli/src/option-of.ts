/** The arguments and flags that a command declares, by name. */
export type CommandInputs = {
  args?: Record<string, { description?: string | undefined }>;
  flags?: Record<string, unknown>;
};

/** Options whose names differ from the service's. */
const OPTIONS: Record<string, string> = {
  agentIds: "agent",
  agentPlatform: "platform",
  backgroundNoise: "noise",
  confirmationStyle: "confirmation",
  expected_behaviors: "behavior",
  interruptionStyle: "interruptions",
  maxMs: "latency-ms",
  personas: "persona",
  platformAgentId: "platform-id",
  productionSampleRate: "sample-rate",
  testVersions: "test-version",
  timeLimitSeconds: "time-limit",
  voiceId: "voice",
};

/** Returns the option or argument from which a member of the request comes; undefined when no input fits. */
export function optionOf(path: string, { args = {}, flags = {} }: CommandInputs): string | undefined {
  const members = path.split(".");
  for (const [at, member] of [...members.entries()].reverse()) {
    const kebab = member.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const name = OPTIONS[member] ?? kebab;
    const within = members.slice(at + 1).map((part) => ` ${/^\d+$/.test(part) ? `#${Number(part) + 1}` : part}`);
    if (Object.hasOwn(flags, name)) return `--${name}${within.join("")}`;
    if (Object.hasOwn(args, name)) return name.toUpperCase();
  }
  return undefined;
}
