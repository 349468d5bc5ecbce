import { useMutation } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { refresh } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { useToast } from "../ui/toast.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { AlertsLink } from "./alerts-link.tsx";
import { contentOf, newDraft } from "./draft.ts";
import { RuleForm } from "./rule-form.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/alerts/rules/new");

export function NewAlertRule() {
  const place = usePlace();
  const navigate = useNavigate();
  const showToast = useToast();
  const { agent } = route.useSearch();
  const [draft, setDraft] = useState(() => newDraft(agent));
  const { content } = contentOf(draft);
  const create = useMutation({
    mutationFn: () => place.client.alertRules.create({ ...content!, projectId: place.projectId }),
    onSuccess: async ({ alertRule }) => {
      await refresh(place, "alertRules.list", "alerts.list");
      showToast(`“${alertRule.name}” judges the last whole window now.`);
      await navigate({ to: "/o/$organizationId/p/$project/alerts", params: place.params });
    },
  });
  const canCreate = content !== undefined && !create.isPending;
  const submit = () => canCreate && create.mutate();
  useKeys({ "mod+s": submit });
  if (!place.canWrite)
    return (
      <Page title="New rule" above={<AlertsLink />}>
        <Empty title="A viewer cannot create an alert rule">
          <p>A member or an admin of the organization can.</p>
        </Empty>
      </Page>
    );
  return (
    <Page
      title="New rule"
      above={<AlertsLink />}
      actions={
        <>
          <Link to="/o/$organizationId/p/$project/alerts" params={place.params}>
            Cancel
          </Link>
          <Button look="primary" busy={create.isPending} disabled={!canCreate} onClick={submit}>
            Create rule
          </Button>
        </>
      }
    >
      <RuleForm
        draft={draft}
        onChange={setDraft}
        onSubmit={submit}
        error={create.error}
        errors={create.error === null ? NO_ERRORS : formErrorsOf(create.error, ["name", "agents", "destinationIds"])}
      />
    </Page>
  );
}
