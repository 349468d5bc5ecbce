import type { ButtonHTMLAttributes } from "react";
import styles from "./button.module.css";
import { classes } from "./classes.ts";

type Look = "plain" | "primary" | "danger" | "quiet";

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: Look;
  small?: boolean;
  /** For a button whose only content is an icon. */
  iconOnly?: boolean;
  /** Shows that the button's work is under way, and blocks a second click. */
  busy?: boolean;
};

/** A button; of type `button` unless stated. */
export function Button({ look = "plain", small, iconOnly, busy, className, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || busy === true}
      aria-busy={busy}
      className={classes(buttonClass(look, small, iconOnly), className)}
    />
  );
}

/** Returns the classes of a button, for links that look like one. */
export const buttonClass = (look: Look = "plain", small = false, iconOnly = false): string =>
  classes(styles["button"], styles[look], small && styles["small"], iconOnly && styles["icon"]);
