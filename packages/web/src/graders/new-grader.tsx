import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { useKeys } from "../ui/use-keys.ts";
import { DEFINITION_FIELDS, DefinitionFields } from "./definition-fields.tsx";
import { definitionOf, draftOf } from "./definition.ts";
import { GradersLink } from "./graders-link.tsx";
import styles from "./graders.module.css";
import { GraderSettingsFields, type Settings } from "./settings-fields.tsx";

const FIRST: Settings = { enabled: true, counts: true, scope: "simulations", productionSampleRate: 1 };

export function NewGrader() {
  const { client, organizationId, projectId, params, canWrite } = usePlace();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [draft, setDraft] = useState(() => draftOf());
  const [settings, setSettings] = useState(FIRST);
  const create = useMutation({
    mutationFn: () =>
      client.graders.create({ projectId, name: name.trim(), definition: definitionOf(draft), ...settings }),
    onSuccess: async ({ grader }) => {
      await queries.invalidateQueries({ queryKey: [organizationId, projectId, "graders.list"] });
      await navigate({
        to: "/o/$organizationId/p/$project/graders/$graderId",
        params: { ...params, graderId: grader.id },
      });
    },
  });
  const canCreate = name.trim() !== "" && !create.isPending;
  useKeys({ "mod+s": () => canCreate && create.mutate() });
  const errors = create.error === null ? NO_ERRORS : formErrorsOf(create.error, DEFINITION_FIELDS);
  if (!canWrite)
    return (
      <Page title="New grader" above={<GradersLink />}>
        <Empty title="A viewer cannot create a grader">
          <p>A member or an admin of the organization can.</p>
        </Empty>
      </Page>
    );
  return (
    <Page
      title="New grader"
      above={<GradersLink />}
      actions={
        <>
          <Link to="/o/$organizationId/p/$project/graders" params={params}>
            Cancel
          </Link>
          <Button look="primary" busy={create.isPending} disabled={!canCreate} onClick={() => create.mutate()}>
            Create grader
          </Button>
        </>
      }
    >
      <form
        className={styles["form"]}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (canCreate) create.mutate();
        }}
      >
        {errors.form !== undefined && <Failure error={create.error} />}
        <Card title="What it decides">
          <div className={styles["fields"]}>
            <TextField
              label="Name"
              autoFocus
              value={name}
              error={errors.fields["name"]}
              onChange={({ target }) => setName(target.value)}
            />
            <DefinitionFields draft={draft} errors={errors.fields} onChange={setDraft} />
          </div>
        </Card>
        <Card title="How the project uses it">
          <GraderSettingsFields settings={settings} onChange={(changed) => setSettings({ ...settings, ...changed })} />
        </Card>
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
    </Page>
  );
}
