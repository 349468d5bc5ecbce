import { EVENT_TYPES, textOfEvent } from "@svc/contract/constants";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { usePlace } from "../shell/place.ts";
import { Section } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { Empty, EmptyByFilter } from "../ui/empty.tsx";
import { Filter, Filters } from "../ui/filter.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { LoadMore, Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./notifications.module.css";
import { eventPages } from "./queries.ts";

const route = getRouteApi("/o/$organizationId/p/$project/notifications");

export function EventsTable() {
  const place = usePlace();
  const { event } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(eventPages(place, event));
  const events = list.data?.pages.flatMap((page) => page.events);
  const choose = (chosen: string | undefined) =>
    void navigate({
      search: (before) => ({ ...before, event: chosen as typeof event }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Section title="What happened" note="in the last 30 days, even without a destination">
      <Filters>
        <Filter
          name="Event"
          options={EVENT_TYPES.map((value) => ({ value, label: value }))}
          value={event}
          onChange={choose}
        />
      </Filters>
      {list.error && <Failure error={list.error} again={list.refetch} />}
      {events === undefined && !list.error && <Skeleton rows={6} />}
      {events?.length === 0 &&
        (event === undefined ? (
          <Empty title="Nothing has happened yet">
            <p>The end of a run, a failed conversation and a failed import are events.</p>
          </Empty>
        ) : (
          <EmptyByFilter filters={[`event ${event}`]} onClear={() => choose(undefined)} />
        ))}
      {events !== undefined && events.length > 0 && (
        <>
          <Table
            label="Events"
            stacked
            columns={[{ head: "What" }, { head: "Event", wideOnly: true }, { head: "When", numeric: true }]}
          >
            {events.map((each) => {
              const { title, lines, links = [] } = textOfEvent(each);
              return (
                <tr key={each.id}>
                  <td className={tables["name"]}>
                    <div className={styles["cell"]}>
                      <Link to={new URL(each.link).pathname}>
                        <UserText inline text={title} />
                      </Link>
                      {lines.length > 0 && (
                        <div className={styles["muted"]}>
                          <UserText inline text={lines.join(" · ")} />
                          {links.map(({ words, href }) => (
                            <Fragment key={href}>
                              {" · "}
                              <ConversationLink href={href}>{words}</ConversationLink>
                            </Fragment>
                          ))}
                        </div>
                      )}
                    </div>
                  </td>
                  <td className={tables["wideOnly"]}>
                    <code>{each.type}</code>
                  </td>
                  <td className={classes(tables["num"], tables["faint"])}>
                    <Time at={each.timestamp} />
                  </td>
                </tr>
              );
            })}
          </Table>
          <LoadMore
            hasMore={list.hasNextPage}
            busy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          />
        </>
      )}
    </Section>
  );
}

function ConversationLink({ href, children }: { href: string; children: string }) {
  const { pathname, searchParams } = new URL(href);
  return (
    <Link to={pathname} search={Object.fromEntries(searchParams)}>
      {children}
    </Link>
  );
}
