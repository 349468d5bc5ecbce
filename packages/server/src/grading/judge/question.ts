import { hash32 } from "../../base/seeded.ts";

/** A behavior about which the judge is asked. The id is a hash of its text, so that an answer cannot be assigned to another behavior. */
export type Question = { id: string; index: number; behavior: string };

const ID_CHARACTERS = 5;

/** Returns a question for each behavior. The same list of behaviors always gets the same ids. */
export function questionsOf(behaviors: readonly string[]): Question[] {
  const taken = new Set<string>();
  return behaviors.map((behavior, index) => {
    for (let attempt = 0; ; attempt++) {
      const id = `b${hash32(`${attempt} ${behavior}`).toString(36).padStart(ID_CHARACTERS, "0").slice(-ID_CHARACTERS)}`;
      if (taken.has(id)) continue;
      taken.add(id);
      return { id, index, behavior };
    }
  });
}
