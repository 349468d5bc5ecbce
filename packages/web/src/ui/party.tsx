import { Bot, type LucideIcon, Phone, User, Wrench } from "lucide-react";
import { classes } from "./classes.ts";
import styles from "./party.module.css";

/** The parties of a conversation. */
export type PartyName = "caller" | "agent" | "tool" | "third_party";

const PARTIES: Record<PartyName, { word: string; icon: LucideIcon }> = {
  caller: { word: "Caller", icon: User },
  agent: { word: "Agent", icon: Bot },
  tool: { word: "Tool", icon: Wrench },
  third_party: { word: "Third party", icon: Phone },
};

/** A party of the conversation; `name` replaces the usual word. */
export function Party({ party, name }: { party: PartyName; name?: string | null }) {
  const { word, icon: Icon } = PARTIES[party];
  return (
    <span className={classes(styles["party"], styles[party])}>
      <Icon size={14} strokeWidth={2} aria-hidden />
      <bdi>{name ?? word}</bdi>
    </span>
  );
}
