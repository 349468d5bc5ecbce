import { LIMITS } from "@svc/sdk";
import { type ReactNode, useEffect } from "react";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { type FormErrors, isRefused, useRefusalInView, valuesOf } from "../ui/form.ts";
import { Notice } from "../ui/notice.tsx";
import styles from "./layout.module.css";

export const ACCOUNT_FIELDS = ["name", "email", "password"] as const;

type SignInLayoutProps = { title: string; lede?: ReactNode; children?: ReactNode; beside?: ReactNode };

/** Page without the menu: a form, with optional content beside it. */
export function SignInLayout({ title, lede, children, beside }: SignInLayoutProps) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <main className={styles["layout"]} data-with-aside={beside !== undefined}>
      <section className={styles["form"]}>
        <div>
          <p className={styles["wordmark"]}>
            <span aria-hidden>s</span>svc
          </p>
          <h1>{title}</h1>
          {lede !== undefined && <p className={styles["lede"]}>{lede}</p>}
          {children}
        </div>
      </section>
      {beside !== undefined && (
        <aside className={styles["beside"]}>
          <div>{beside}</div>
        </aside>
      )}
    </main>
  );
}

export const SignInNote = ({ children }: { children: ReactNode }) => <p className={styles["note"]}>{children}</p>;

type SignInFormProps = {
  errors: FormErrors;
  busy: boolean;
  /** Verb on the button. */
  submit: string;
  onSubmit: (values: Record<string, string>) => unknown;
  children: ReactNode;
};

export function SignInForm({ errors, busy, submit, onSubmit, children }: SignInFormProps) {
  const content = useRefusalInView<HTMLFormElement>(busy, isRefused(errors));
  return (
    <form
      ref={content}
      className={styles["fields"]}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit(valuesOf(event.currentTarget));
      }}
    >
      {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
      {children}
      <Button type="submit" look="primary" busy={busy}>
        {submit}
      </Button>
    </form>
  );
}

type FieldsProps = {
  errors: FormErrors;
  /** Address of an invitation. The person cannot change it. */
  email?: string;
};

export const AccountFields = ({ errors, email }: FieldsProps) => (
  <>
    <TextField label="Your name" name="name" autoComplete="name" autoFocus error={errors.fields["name"]} />
    <TextField
      label="E-mail"
      name="email"
      type="email"
      autoComplete="username"
      {...(email !== undefined && { value: email, readOnly: true })}
      error={errors.fields["email"]}
    />
    <NewPasswordField label="Password" name="password" error={errors.fields["password"]} />
  </>
);

type NewPasswordProps = { label: string; name: string; error: string | undefined; autoFocus?: boolean };

export const NewPasswordField = (props: NewPasswordProps) => (
  <TextField
    {...props}
    type="password"
    autoComplete="new-password"
    help={`At least ${LIMITS.passwordCharactersMin} characters.`}
  />
);
