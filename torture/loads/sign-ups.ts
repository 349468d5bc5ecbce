import { send } from "../../test/support/request.ts";
import type { Access, Load } from "./load.ts";

type Person = { email: string; password: string };
const SAMPLE = 5;
const PAUSE_MS = 250;

/** Signs people up, each with a new organization. Pauses between people, because hashing a password is slow. */
export function signUpLoad(): Load {
  const people: Person[] = [];
  const open: Person[] = [];

  const signUp = (url: string, { email, password }: Person) =>
    send(url, { method: "POST", path: "/api/auth/sign-up/email", json: { name: "Someone", email, password } });

  async function step({ url, draws }: Access): Promise<void> {
    const repeated = open.pop();
    const person = repeated ?? { email: `${draws.hex(16)}@people.test`, password: `pass ${draws.hex(16)}` };
    const answer = await signUp(url, person).catch((error: unknown) => {
      open.push(person);
      throw error;
    });
    if (answer.status === 201 || (repeated !== undefined && answer.status < 500)) people.push(person);
    else if (answer.status >= 500) open.push(person);
    else throw new Error(`sign-ups: ${answer.status} ${answer.text}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }

  async function faults({ url, draws }: Access): Promise<string[]> {
    const found: string[] = [];
    for (let sample = 0; sample < Math.min(SAMPLE, people.length); sample++) {
      const { email, password } = draws.pick(people);
      const signIn = await send(url, { method: "POST", path: "/api/auth/sign-in/email", json: { email, password } });
      if (signIn.status !== 200) found.push(`sign-ups: ${email} cannot sign in: ${signIn.status} ${signIn.text}`);
      const again = await signUp(url, { email, password });
      if (again.status === 201) found.push(`sign-ups: ${email} signed up twice`);
    }
    return found;
  }

  return {
    name: "sign-ups",
    step,
    faults,
    acknowledged: () => people.length,
    plant: () =>
      void people.splice(0, people.length, { email: "planted@people.test", password: "a password of nobody" }),
  };
}
