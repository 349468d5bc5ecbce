import type { ReviewItem, ReviewQueue } from "@svc/contract";
import { formatCount, formatPlural } from "../ui/format.ts";

export const STATE_WORDS: Record<ReviewItem["state"], string> = {
  waiting: "Waits for a grade",
  open: "To label",
  done: "Done",
  skipped: "Skipped",
};

const DID = { reviewing: "has it in work", labeled: "labeled it", skipped: "skipped it" };

export function peopleWords({ people, peopleWanted, state }: ReviewItem): string {
  const wanted = peopleWanted > 1 && state === "open" ? ["asks for two people"] : [];
  const words = [...wanted, ...people.map(({ userName, did }) => `${userName} ${DID[did]}`)].join(", ");
  return words === "" ? "" : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export const leftOutWords = ({ leftOut, itemsMax }: ReviewQueue): string =>
  `${formatPlural(leftOut, "conversation")} did not come in, because ${formatCount(itemsMax)} were waiting. Label or skip some, or lower the random share.`;
