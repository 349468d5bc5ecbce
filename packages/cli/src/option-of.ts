/** What a command takes, by name. */
export type Takes = { args?: Record<string, { description?: string | undefined }>; flags?: Record<string, unknown> };

/** Options whose names are others than the service's. */
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

/** The option or argument of the command that a member of the request comes from. */
export function optionOf(path: string, { args = {}, flags = {} }: Takes): string | undefined {
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
