import type { ButtonHTMLAttributes, ReactNode } from "react";
import styles from "./button.module.css";
import { classes } from "./classes.ts";
import { useIsOffline } from "./offline.tsx";

type Look = "plain" | "primary" | "danger" | "quiet";

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: Look;
  small?: boolean;
  iconOnly?: boolean;
  /** Shows that the button's action is running, and blocks further clicks. The button keeps the focus. */
  busy?: boolean;
};

/** The type is `button` by default. A `submit` button is disabled while the service does not answer. */
export function Button({ look = "plain", small, iconOnly, busy, className, onClick, disabled, ...rest }: ButtonProps) {
  const isOffline = useIsOffline();
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || (isOffline && rest.type === "submit")}
      aria-busy={busy}
      aria-disabled={busy}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={classes(buttonClass(look, small, iconOnly), className)}
    />
  );
}

/** Returns the classes of a button, for links that look like one. */
export const buttonClass = (look: Look = "plain", small = false, iconOnly = false): string =>
  classes(styles["button"], styles[look], small && styles["small"], iconOnly && styles["icon"]);

/** On a narrow screen the text is hidden, but screen readers still read it. */
export const WideWords = ({ children }: { children: ReactNode }) => (
  <span className={styles["wideWords"]}>{children}</span>
);
