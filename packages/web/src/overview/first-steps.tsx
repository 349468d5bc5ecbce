import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Bot, Play, Radio } from "lucide-react";
import { usePlace } from "../frame/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { sendSampleCommands } from "../sample-commands.ts";
import { CopyLine } from "../ui/copy-line.tsx";
import { Failure } from "../ui/failure.tsx";
import styles from "./first-steps.module.css";

/** The three ways to a first result, for a project without conversations and runs. */
export function FirstSteps() {
  const { client, projectId, params, canWrite } = usePlace();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const sample = useMutation({
    mutationFn: () => client.sample.start({ projectId }),
    onSuccess: async ({ sample: { runId } }) => {
      await queries.invalidateQueries();
      await navigate({ to: "/o/$organizationId/p/$project/runs/$runId", params: { ...params, runId } });
    },
  });
  return (
    <section className={styles["steps"]} aria-label="First steps">
      <article>
        <Play size={20} strokeWidth={1.5} aria-hidden />
        <h2>Play the sample agent</h2>
        <p>
          A booking agent with one defect, five tests and a graded run. A failed test shows the words that decided it.
        </p>
        {canWrite && (
          <Button look="primary" busy={sample.isPending} onClick={() => sample.mutate()}>
            Play it
          </Button>
        )}
        {sample.error && <Failure error={sample.error} />}
      </article>
      <article>
        <Radio size={20} strokeWidth={1.5} aria-hidden />
        <h2>Send or fetch conversations</h2>
        <p>
          Point an OTLP exporter here, or import calls from a hosted platform. In the folder of svc, these commands sign
          a terminal in and send an example:
        </p>
        <CopyLine text={sendSampleCommands()} />
        <Link to="/o/$organizationId/p/$project/monitoring" params={params} className={buttonClass()}>
          Set up monitoring
        </Link>
      </article>
      <article>
        <Bot size={20} strokeWidth={1.5} aria-hidden />
        <h2>Test an agent of yours</h2>
        <p>Add the agent with its address, write what you expect of it, and run the test.</p>
        <Link to="/o/$organizationId/p/$project/agents" params={params} className={buttonClass()}>
          Add an agent
        </Link>
      </article>
    </section>
  );
}
