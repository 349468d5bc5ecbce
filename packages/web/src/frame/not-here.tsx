import { Link } from "@tanstack/react-router";
import { Empty } from "../ui/empty.tsx";

/** The page for an address without a page, or for a thing that does not exist or is not visible. */
export function NotHere() {
  return (
    <main>
      <Empty title="There is nothing at this address" action={<Link to="/">Go to the overview</Link>}>
        <p>It never existed, was deleted, or belongs to a project that you cannot see.</p>
      </Empty>
    </main>
  );
}
