import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { Card } from "../ui/card.tsx";
import styles from "./side-parts.module.css";
import { personaUsageQuery } from "./queries.ts";
import type { Persona } from "./persona-content.ts";

export function UsageCard({ persona }: { persona: Persona }) {
  const place = usePlace();
  const { data } = useQuery(personaUsageQuery(place, persona.id));
  if (data === undefined) return null;
  return (
    <Card
      title={
        data.length === 0 ? "No test names it" : data.length === 1 ? "1 test names it" : `${data.length} tests name it`
      }
    >
      {data.length > 0 && (
        <ul className={styles["tests"]}>
          {data.map(({ id, name }) => (
            <li key={id}>
              <Link to="/o/$organizationId/p/$project/tests/$testId" params={{ ...place.params, testId: id }}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {persona.isDefault && <p className={styles["note"]}>It plays every test without personas.</p>}
      {data.length === 0 && !persona.isDefault && <p className={styles["note"]}>Name it in a test to let it call.</p>}
    </Card>
  );
}
