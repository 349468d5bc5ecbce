import { Link } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import styles from "./not-here.module.css";

/** The page for an address without a page, or for a thing that does not exist or is not visible. */
export function NotHere() {
  return (
    <main className={styles["middle"]}>
      <Empty
        icon={SearchX}
        title="There is nothing at this address"
        action={
          <Link to="/" className={buttonClass()}>
            Go to the overview
          </Link>
        }
      >
        <p>It never existed, was deleted, or belongs to a project that you cannot see.</p>
      </Empty>
    </main>
  );
}
