import { clientOf } from "../client.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { Door, formClass, stepsClass } from "./door.tsx";
import { valuesOf } from "../ui/form-values.ts";
import { useEnter } from "./enter.ts";

/** Makes the first person the admin of a new instance. */
export function Claim() {
  const { errors, busy, enter } = useEnter(["name", "email", "password"]);
  return (
    <Door
      title="Claim this instance"
      lede="You become the admin of its first organization and project."
      beside={
        <>
          <h2>What comes next</h2>
          <ol className={stepsClass}>
            <li>
              <div>
                <h3>Send or fetch conversations</h3>
                <p>Point your worker's OTLP exporter here, or import calls from a platform.</p>
              </div>
            </li>
            <li>
              <div>
                <h3>Write a test</h3>
                <p>A scenario and the behaviors that you expect, one sentence each.</p>
              </div>
            </li>
            <li>
              <div>
                <h3>Run it against your agent</h3>
                <p>Each verdict shows the words that decided it.</p>
              </div>
            </li>
          </ol>
        </>
      }
    >
      <form
        className={formClass}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const { name = "", email = "", password = "" } = valuesOf(event.currentTarget);
          void enter(() => clientOf().accounts.signUp({ name, email, password }));
        }}
      >
        {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
        <TextField label="Name" name="name" autoComplete="name" autoFocus error={errors.fields["name"]} />
        <TextField label="E-mail" name="email" type="email" autoComplete="username" error={errors.fields["email"]} />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          error={errors.fields["password"]}
          help="At least 8 characters."
        />
        <Button type="submit" look="primary" busy={busy}>
          Claim
        </Button>
      </form>
    </Door>
  );
}
