import type { Turn } from "@svc/contract";
import { AudioLines, MessageSquare, Phone, PhoneForwarded, User } from "lucide-react";
import { classes } from "../../ui/classes.ts";
import { shownText } from "../shown-text.ts";
import styles from "./timeline.module.css";

const NAMES = { user: "Caller", agent: "Agent", third_party: "Third party" };
const CLASSES = { user: "whoUser", agent: "whoAgent", third_party: "whoThirdParty" };
const SPEAKS = { user: Phone, agent: AudioLines, third_party: PhoneForwarded };
const TYPES = { user: User, agent: MessageSquare, third_party: PhoneForwarded };

type SpeakerProps = {
  role: Turn["role"];
  /** Name of the agent, when the conversation has several. */
  name?: string | null;
  isTyped: boolean;
};

/** The party that takes a turn, with an icon, a name and a colour. */
export function Speaker({ role, name = null, isTyped }: SpeakerProps) {
  const Icon = (isTyped ? TYPES : SPEAKS)[role];
  return (
    <span className={classes(styles["who"], styles[CLASSES[role]])}>
      <Icon size={14} strokeWidth={2} aria-hidden />
      <span>
        {NAMES[role]}
        {name !== null && <bdi> · {shownText(name)}</bdi>}
      </span>
    </span>
  );
}
