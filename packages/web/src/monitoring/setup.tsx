import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { setupsQuery } from "../setups.ts";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/check.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { formatPlural } from "../ui/format.ts";
import { UserText } from "../ui/user-text.tsx";
import styles from "./monitoring.module.css";

/** When a person changes the setup, an existing import continues. */
export function Setup() {
  const place = usePlace();
  const { client, projectId, params } = place;
  const navigate = useNavigate();
  const existing = useQuery(setupsQuery(place)).data?.find(({ agent_platform }) => agent_platform === "platform_a");
  const [key, setKey] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>();
  const [wantsRecordings, setWantsRecordings] = useState<boolean>();
  const fetchRecordings = wantsRecordings ?? existing?.fetches_recordings ?? false;

  const discover = useMutation({
    mutationFn: () => client.monitoring.discover({ api_key: key.trim(), project: projectId }),
    onSuccess: ({ agents }) => {
      const before = new Set(existing?.agents.map(({ platform_agent_id }) => platform_agent_id));
      setChosen(new Set(agents.map(({ id }) => id).filter((id) => existing === undefined || before.has(id))));
    },
  });
  const save = useMutation({
    mutationFn: () =>
      client.monitoring.savePlatformA({
        api_key: key.trim(),
        agents: [...(chosen ?? [])].map((id) => ({ id })),
        fetch_recordings: fetchRecordings,
        project: projectId,
      }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      await navigate({ to: "/o/$organizationId/p/$project/monitoring", params });
    },
  });
  const agents = discover.data?.agents;
  const errors = discover.error ? formErrorsOf(discover.error, ["api_key"]) : NO_ERRORS;
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    setChosen(next);
  };

  return (
    <Page
      title="Connect Retell"
      above={
        <Link to="/o/$organizationId/p/$project/monitoring" params={params}>
          Monitoring
        </Link>
      }
    >
      <p className={styles["lede"]}>
        The service fetches the calls of the last 30 days from Retell, then new ones as they end.
      </p>
      {!place.canWrite && <Notice>Your role only reads. A member or an admin can connect a platform.</Notice>}
      {place.canWrite && (
        <ol className={styles["steps"]}>
          <li data-done={agents !== undefined}>
            <div>
              <form
                className={styles["key"]}
                noValidate
                onSubmit={(event) => {
                  event.preventDefault();
                  discover.mutate();
                }}
              >
                <TextField
                  label="The platform’s API key"
                  type="password"
                  autoComplete="off"
                  value={key}
                  error={errors.fields["api_key"]}
                  help="The key is sealed and never shown again. It needs the permissions to read agents and call history."
                  onChange={(event) => {
                    setKey(event.target.value);
                    discover.reset();
                  }}
                />
                <Button type="submit" busy={discover.isPending} disabled={key.trim() === ""}>
                  Check the key
                </Button>
              </form>
              {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
              {agents && <p role="status">The key reads {formatPlural(agents.length, "agent")}.</p>}
            </div>
          </li>
          <li data-done={(chosen?.size ?? 0) > 0}>
            <div>
              <h2>Whose calls?</h2>
              {agents === undefined && <p className={styles["hint"]}>Check the key first.</p>}
              {agents?.length === 0 && (
                <p>This account has no voice agent. Create one on the platform, then check the key again.</p>
              )}
              {agents && agents.length > 0 && (
                <ul className={styles["agents"]}>
                  {agents.map(({ id, name }) => (
                    <li key={id}>
                      <Checkbox
                        label={<UserText inline text={name} />}
                        checked={chosen?.has(id) ?? false}
                        onChange={(event) => choose(id, event.target.checked)}
                      />
                      <code>{id}</code>
                    </li>
                  ))}
                </ul>
              )}
            </div>
          </li>
          <li>
            <div>
              <h2>Fetch</h2>
              <p className={styles["hint"]}>
                {formatPlural(chosen?.size ?? 0, "agent")}, 30 days. You can leave the page; the import continues.
              </p>
              <Checkbox
                label="Fetch the recordings too"
                help="A fetched recording plays here, even after the platform deletes it. A call of ten minutes takes about 20 MB."
                checked={fetchRecordings}
                onChange={(event) => setWantsRecordings(event.target.checked)}
              />
              {save.error && <Failure error={save.error} />}
              <Button look="primary" busy={save.isPending} disabled={!chosen?.size} onClick={() => save.mutate()}>
                Fetch their calls
              </Button>
            </div>
          </li>
        </ol>
      )}
    </Page>
  );
}
