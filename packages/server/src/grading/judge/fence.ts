import { hash32 } from "../seeded.ts";

/** Returns a line that does not occur in the data, so that the data cannot end its fence; the same for the same data and seed. */
export function fenceFor(data: string, seed: string): string {
  for (let attempt = 0; ; attempt++) {
    const fence = `=====${hash32(`${seed} ${attempt} ${data}`).toString(36)}=====`;
    if (!data.includes(fence)) return fence;
  }
}
