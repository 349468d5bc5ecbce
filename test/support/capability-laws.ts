import { type CapabilityVoice, PersonaCapabilities } from "@svc/contract";

type Choice = CapabilityVoice | string | number;
const keyOf = (choice: Choice) => (typeof choice === "object" ? choice.id : choice);

const WHOLE_STEPS = 1e-9;

/** Returns the rules that an answer about capabilities breaks, each with the member that breaks it. */
export function brokenLaws(capabilities: PersonaCapabilities): string[] {
  const broken: string[] = [];
  if (!PersonaCapabilities.safeParse(capabilities).success) broken.push("does not fit its schema");
  for (const [name, { status, reason, choices, value, range }] of Object.entries(capabilities)) {
    const law = (holds: boolean, text: string) => void (holds || broken.push(`${name}: ${text}`));
    const known = status === "supported" || status === "fixed";
    law(
      status !== "supported" || (choices?.length ?? 0) > 0 || range !== undefined,
      "supported, with nothing to choose",
    );
    law(status !== "fixed" || value !== undefined, "fixed at nothing");
    law(status === "supported" || (reason?.length ?? 0) > 10, "no reason");
    law(known || (value === undefined && range === undefined && choices === undefined), "says what is not known");
    law(reason === undefined || /^\S.*\.$/.test(reason), "a reason that is no sentence");
    if (choices) {
      const keys = choices.map(keyOf);
      law(new Set(keys).size === keys.length, "a choice twice");
      law(value === undefined || keys.includes(keyOf(value)), "a value that is no choice");
    }
    if (range) {
      const steps = (range.maximum - range.minimum) / range.step;
      law(range.minimum <= 1 && range.maximum >= 1, "a range without the voice's own");
      law(Math.abs(steps - Math.round(steps)) < WHOLE_STEPS, "a range of broken steps");
    }
  }
  return broken;
}
