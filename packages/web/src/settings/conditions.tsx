import { useQuery } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { Failure } from "../ui/failure.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Time } from "../ui/time.tsx";
import { conditionsQuery } from "./queries.ts";
import styles from "./settings.module.css";

/** The problems of the running service, each with what to do. */
export function Conditions() {
  const { organizationId } = useOrganization();
  const { data, error, refetch } = useQuery(conditionsQuery(organizationId));
  return (
    <Section title="Condition of the service">
      {error && <Failure error={error} again={refetch} />}
      {data === undefined && !error && <Skeleton rows={2} />}
      {data?.conditions.length === 0 && <p className={styles["muted"]}>The service has no problem.</p>}
      {data !== undefined && data.conditions.length > 0 && (
        <div className={styles["conditions"]}>
          {data.conditions.map(({ code, projectId, message, remedy, count, since, degrades }) => (
            <Notice key={`${code} ${projectId}`} kind={degrades ? "failed" : "warning"}>
              <p>
                <b>{message}</b>
                {count !== null && count > 1 && ` (${count} times)`}
              </p>
              <p>{remedy}</p>
              <p>
                Since <Time at={since} />
              </p>
            </Notice>
          ))}
        </div>
      )}
    </Section>
  );
}
