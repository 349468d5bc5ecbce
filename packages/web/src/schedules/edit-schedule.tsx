import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { queries, refresh } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Empty } from "../ui/empty.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { UserText } from "../ui/user-text.tsx";
import { NoSchedule } from "./no-schedule.tsx";
import { scheduleQuery } from "./queries.ts";
import { ScheduleForm } from "./schedule-form.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/schedules/$scheduleId/edit");

export function EditSchedule() {
  const place = usePlace();
  const { scheduleId } = route.useParams();
  const navigate = route.useNavigate();
  const { data: schedule, error, refetch } = useQuery({ ...scheduleQuery(place, scheduleId), refetchInterval: false });
  const params = { ...place.params, scheduleId };
  return (
    <Page
      title="Edit schedule"
      above={
        <Link to="/o/$organizationId/p/$project/schedules/$scheduleId" params={params}>
          <UserText inline text={schedule?.name ?? "Schedule"} />
        </Link>
      }
    >
      {schedule === undefined ? (
        error ? (
          <NoSchedule error={error} again={refetch} />
        ) : (
          <Skeleton rows={8} />
        )
      ) : place.canWrite ? (
        <ScheduleForm
          key={schedule.id}
          schedule={schedule}
          save={async (content) => {
            const edit = { require: null, ...content, expectedRevision: schedule.revision };
            const saved = await place.client.schedules.edit({ ...edit, scheduleId, projectId: place.projectId });
            queries.setQueryData(scheduleQuery(place, scheduleId).queryKey, saved.schedule);
            void refresh(place, "schedules.list");
            await navigate({ to: "/o/$organizationId/p/$project/schedules/$scheduleId", params });
          }}
        />
      ) : (
        <Empty title="A viewer cannot edit a schedule">
          <p>A member or an admin of the organization can.</p>
        </Empty>
      )}
    </Page>
  );
}
