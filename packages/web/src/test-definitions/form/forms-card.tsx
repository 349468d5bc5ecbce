import { useQuery } from "@tanstack/react-query";
import { usePlace } from "../../shell/place.ts";
import { Card } from "../../ui/card.tsx";
import { Backticked } from "../../ui/user-text.tsx";
import { readingsQuery } from "../queries.ts";
import styles from "./forms-card.module.css";

/** One example of each form of behavior that authors often need. The card shows how the service understands each example. */
const EXAMPLES = [
  "calls book_room with nights=2, day=Friday",
  "never calls refund",
  "calls check_availability before book_room",
  "says /confirmation (code|number)/i",
  'never says "as an AI"',
  'repeats back "GH-4207"',
  "responds within 1500 ms p95",
  "ends the call",
  "finishes within 8 turns",
];

export function FormsCard() {
  const place = usePlace();
  const { data } = useQuery(readingsQuery(place, EXAMPLES));
  const decided = data?.readings.filter(({ decided_by }) => decided_by === "check") ?? [];
  if (decided.length === 0) return null;
  return (
    <Card title="Sentences that code decides">
      <dl className={styles["forms"]}>
        {decided.map(({ behavior, reading }) => (
          <div key={behavior}>
            <dt>
              <code>{behavior}</code>
            </dt>
            <dd>
              <Backticked text={reading} />
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles["rest"]}>
        {data?.has_judge
          ? "A judge, a language model, decides every other sentence."
          : "Every other sentence needs a judge, a language model. The service has none, so it would not be graded."}
      </p>
    </Card>
  );
}
