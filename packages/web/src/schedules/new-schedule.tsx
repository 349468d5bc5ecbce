import { getRouteApi } from "@tanstack/react-router";
import { refresh } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Empty } from "../ui/empty.tsx";
import { ScheduleForm } from "./schedule-form.tsx";
import { SchedulesLink } from "./schedules-link.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/schedules/new");

export function NewSchedule() {
  const place = usePlace();
  const { suite } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title="New schedule" above={<SchedulesLink />}>
      {place.canWrite ? (
        <ScheduleForm
          suite={suite}
          save={async (content) => {
            const { schedule } = await place.client.schedules.create({ ...content, projectId: place.projectId });
            void refresh(place, "schedules.list");
            await navigate({
              to: "/o/$organizationId/p/$project/schedules/$scheduleId",
              params: { ...place.params, scheduleId: schedule.id },
            });
          }}
        />
      ) : (
        <Empty title="A viewer cannot create a schedule">
          <p>A member or an admin of the organization can.</p>
        </Empty>
      )}
    </Page>
  );
}
