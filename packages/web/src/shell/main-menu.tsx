import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps, useLocation, useParams } from "@tanstack/react-router";
import {
  Bell,
  BookOpen,
  Bot,
  CalendarClock,
  ChartLine,
  ClipboardCheck,
  House,
  Layers,
  ListChecks,
  type LucideIcon,
  MessagesSquare,
  Moon,
  Phone,
  Play,
  Radio,
  Scale,
  Search,
  Settings,
  Siren,
  Sun,
  SunMoon,
  Users,
  Wrench,
} from "lucide-react";
import { type ReactNode, useState } from "react";
import { lastPlace } from "./last-place.ts";
import styles from "./main-menu.module.css";
import { ProjectMenu } from "./project-menu.tsx";
import { projectsQuery } from "./projects.ts";
import { applyTheme, storedTheme, type Theme } from "./theme.ts";
import { clientOf } from "../client.ts";
import { setupsQuery } from "../setups.ts";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const ICONS = { system: SunMoon, light: Sun, dark: Moon };

export function MainMenu({ organizationId, onFind }: { organizationId: string; onFind: () => void }) {
  const { pathname } = useLocation();
  const { project: shown } = useParams({ strict: false });
  const { data } = useQuery(projectsQuery(organizationId));
  const last = lastPlace([organizationId])?.project;
  const isGone = data !== undefined && !data.projects.some(({ slug }) => slug === last);
  const project = shown ?? (isGone ? data.projects[0]?.slug : last);
  const params = { organizationId, project: project ?? "" };
  return (
    <nav className={styles["nav"]} aria-label="Main">
      <ProjectMenu organizationId={organizationId} project={project} />
      <button type="button" className={styles["find"]} aria-keyshortcuts="Control+K Meta+K" onClick={onFind}>
        <Search size={14} strokeWidth={1.75} aria-hidden />
        Find or do
        <kbd aria-hidden>{navigator.platform.startsWith("Mac") ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      {project !== undefined && (
        <>
          <ul>
            <Item icon={House} to="/o/$organizationId/p/$project" params={params} exact>
              Overview
            </Item>
            <Item icon={MessagesSquare} to="/o/$organizationId/p/$project/conversations" params={params}>
              Conversations
            </Item>
            <Item icon={ChartLine} to="/o/$organizationId/p/$project/metrics" params={params}>
              Metrics
            </Item>
            <Item icon={ClipboardCheck} to="/o/$organizationId/p/$project/review" params={params}>
              Review
            </Item>
            <Item
              icon={Siren}
              to="/o/$organizationId/p/$project/alerts"
              params={params}
              badge={<OpenAlerts organizationId={organizationId} project={project} />}
            >
              Alerts
            </Item>
            <Item icon={Layers} to="/o/$organizationId/p/$project/groups" params={params}>
              Failure groups
            </Item>
          </ul>
          <Group name="Test">
            <Item icon={ListChecks} to="/o/$organizationId/p/$project/tests" params={params}>
              Tests
            </Item>
            <Item icon={Play} to="/o/$organizationId/p/$project/runs" params={params}>
              Runs
            </Item>
            <Item icon={CalendarClock} to="/o/$organizationId/p/$project/schedules" params={params}>
              Schedules
            </Item>
            <Item icon={Scale} to="/o/$organizationId/p/$project/graders" params={params}>
              Graders
            </Item>
            <Item icon={Users} to="/o/$organizationId/p/$project/personas" params={params}>
              Personas
            </Item>
            <Item icon={Wrench} to="/o/$organizationId/p/$project/mock-tools" params={params}>
              Mock tools
            </Item>
          </Group>
          <Group name="Connect">
            <Item icon={Bot} to="/o/$organizationId/p/$project/agents" params={params}>
              Agents
            </Item>
            <Item icon={Phone} to="/o/$organizationId/p/$project/trunks" params={params}>
              Trunks
            </Item>
            <Item
              icon={Radio}
              to="/o/$organizationId/p/$project/monitoring"
              params={params}
              badge={<FailedImports organizationId={organizationId} project={project} />}
            >
              Monitoring
            </Item>
            <Item icon={Bell} to="/o/$organizationId/p/$project/notifications" params={params}>
              Notifications
            </Item>
          </Group>
        </>
      )}
      <ul className={styles["foot"]}>
        <Item
          icon={Settings}
          to="/o/$organizationId/settings/keys"
          params={params}
          isCurrent={pathname.startsWith(`/o/${organizationId}/settings/`)}
        >
          Settings
        </Item>
        <li>
          <a className={styles["item"]} href="/docs/">
            <BookOpen size={16} strokeWidth={1.75} aria-hidden />
            Documents
          </a>
        </li>
        <li>
          <Appearance />
        </li>
      </ul>
    </nav>
  );
}

function Group({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <p className={styles["group"]}>{name}</p>
      <ul>{children}</ul>
    </div>
  );
}

type ItemProps = { icon: LucideIcon; exact?: boolean; isCurrent?: boolean; badge?: ReactNode; children: string } & Pick<
  LinkProps,
  "to" | "params"
>;

function Item({ icon: Icon, exact = false, isCurrent, badge, children, ...link }: ItemProps) {
  return (
    <li>
      <Link
        {...link}
        className={styles["item"]}
        activeOptions={{ exact, includeSearch: false }}
        {...(isCurrent && { "aria-current": "page" as const })}
      >
        <Icon size={16} strokeWidth={1.75} aria-hidden />
        {children}
        {badge}
      </Link>
    </li>
  );
}

function Appearance() {
  const [theme, setTheme] = useState(storedTheme);
  const Icon = ICONS[theme];
  const change = () => {
    applyTheme(NEXT[theme]);
    setTheme(NEXT[theme]);
  };
  return (
    <button type="button" className={styles["item"]} onClick={change}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      Appearance: {theme}
    </button>
  );
}

type BadgeProps = { organizationId: string; project: string };

/** `isKnown` is false until the project's id has loaded. */
function useCounted({ organizationId, project }: BadgeProps) {
  const { data: all } = useQuery(projectsQuery(organizationId));
  const projectId = all?.projects.find(({ slug }) => slug === project)?.id;
  const place = { client: clientOf(organizationId), organizationId, projectId: projectId ?? "" };
  return { place, isKnown: projectId !== undefined };
}

const ALERTS_COUNTED = 99;
const ALERTS_EVERY_MS = 60_000;

function OpenAlerts(of: BadgeProps) {
  const { place, isKnown } = useCounted(of);
  const { client, organizationId, projectId } = place;
  const { data } = useQuery({
    queryKey: [organizationId, projectId, "alerts.list", "open"],
    queryFn: ({ signal }) => client.alerts.list({ projectId, state: "open", pageSize: ALERTS_COUNTED }, { signal }),
    enabled: isKnown,
    refetchInterval: ALERTS_EVERY_MS,
  });
  const open = data?.alerts.length ?? 0;
  if (open === 0) return null;
  const shown = data?.nextPageToken ? `${open}+` : String(open);
  return (
    <span className={styles["badge"]} aria-label={`${shown} open`}>
      {shown}
    </span>
  );
}

function FailedImports(of: BadgeProps) {
  const { place, isKnown } = useCounted(of);
  const { data: setups } = useQuery({ ...setupsQuery(place), enabled: isKnown });
  const failed = setups?.flatMap(({ agents }) => agents).reduce((sum, agent) => sum + agent.open_failures, 0) ?? 0;
  if (failed === 0) return null;
  return (
    <span className={styles["badge"]} aria-label={`${failed} calls not imported`}>
      {failed}
    </span>
  );
}
