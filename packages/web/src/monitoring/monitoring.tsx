import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { setupsQuery } from "../setups.ts";
import { buttonClass } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { FailuresTable } from "./failures-table.tsx";
import { PlatformA } from "./platform-a.tsx";
import { PlatformB } from "./platform-b.tsx";
import { openFailures } from "./progress.ts";

/** How production conversations arrive: imports from a hosted platform, and workers that send them. */
export function Monitoring() {
  const place = usePlace();
  const { data: setups, error, refetch } = useQuery(setupsQuery(place));
  const platformA = setups?.find(({ agent_platform }) => agent_platform === "platform_a");
  const platformB = setups?.find(({ agent_platform }) => agent_platform === "platform_b_agents");
  return (
    <Page
      title="Monitoring"
      actions={
        setups &&
        platformA === undefined &&
        place.canWrite && (
          <Link
            to="/o/$organizationId/p/$project/monitoring/platform_a/setup"
            params={place.params}
            className={buttonClass("primary")}
          >
            <Plus size={16} strokeWidth={1.75} aria-hidden />
            Connect platform_a
          </Link>
        )
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {!setups && !error && <Skeleton rows={8} />}
      {setups && (
        <>
          <PlatformA setup={platformA} />
          {platformA && <FailuresTable failures={openFailures(platformA.agents)} />}
          <PlatformB setup={platformB} />
        </>
      )}
    </Page>
  );
}
