import { askSecret } from "../prompt.ts";

/** The platform's API key: SVC_PLATFORM_A_API_KEY, a hidden prompt, or the first line of standard input. */
export async function askPlatformKey(): Promise<string> {
  const given = process.env.SVC_PLATFORM_A_API_KEY?.trim();
  if (given) return given;
  return askSecret("API key of platform_a", (key) => (key === "" ? "The platform's API key is needed." : undefined));
}
