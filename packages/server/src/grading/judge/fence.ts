import { hash32 } from "../seeded.ts";

/** A line that stands nowhere in the data, so that nothing in it can end the data; the same for the same data and seed. */
export function fenceFor(data: string, seed: string): string {
  for (let attempt = 0; ; attempt++) {
    const fence = `=====${hash32(`${seed} ${attempt} ${data}`).toString(36)}=====`;
    if (!data.includes(fence)) return fence;
  }
}
