import type { ReactNode } from "react";
import styles from "./editor-layout.module.css";

/** A form at the left and parts beside it; one column on a narrow screen. */
export function EditorLayout({ form, aside }: { form: ReactNode; aside?: ReactNode }) {
  return (
    <div className={styles["editor"]}>
      {form}
      <aside className={styles["aside"]}>{aside}</aside>
    </div>
  );
}

/** Controls of a head that a narrow screen has no room for; its menu has them too. */
export const WideOnly = ({ children }: { children: ReactNode }) => (
  <span className={styles["wideOnly"]}>{children}</span>
);
