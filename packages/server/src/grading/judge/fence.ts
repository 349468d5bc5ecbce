import { hash32 } from "../../base/seeded.ts";

/**
 * Returns a line that does not occur in the data, so that the data cannot end its fence. Equal data has an equal fence, so prompts with the
 * same record begin with the same bytes.
 */
export function fenceFor(data: string, salt = ""): string {
  for (let attempt = 0; ; attempt++) {
    const fence = `=====${hash32(`${salt} ${attempt} ${data}`).toString(36)}=====`;
    if (!data.includes(fence)) return fence;
  }
}
