import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMutation } from "@tanstack/react-query";
import { clientOf } from "../client.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { Notice } from "../ui/notice.tsx";
import { SignInLayout, SignInForm, SignInNote } from "./layout.tsx";
import styles from "./layout.module.css";
import { tokenOf } from "./enter.ts";

const route = getRouteApi("/forgot-password");

export function ForgotPassword() {
  const { instance } = route.useLoaderData();
  return (
    <SignInLayout
      title="Forgotten password"
      lede={
        instance.mail
          ? "The service sends a link to your address. It is valid for one hour."
          : "This service sends no mail. Ask an admin of your organization for a link: the page Settings / Members creates one, which is valid for 24 hours."
      }
    >
      {instance.mail ? <MailForm /> : <TokenForm />}
      <SignInNote>
        <Link to="/sign-in">Back to sign-in</Link>
      </SignInNote>
    </SignInLayout>
  );
}

function MailForm() {
  const ask = useMutation({ mutationFn: (email: string) => clientOf().accounts.requestPasswordReset({ email }) });
  const errors = ask.error ? formErrorsOf(ask.error, ["email"]) : NO_ERRORS;
  if (ask.isSuccess)
    return (
      <>
        <div className={styles["stack"]}>
          <Notice>If {ask.variables} has an account, a mail is on its way. It may take a minute to arrive.</Notice>
        </div>
        <TokenForm />
        <SignInNote>
          <Button look="quiet" small onClick={() => ask.reset()}>
            Send another link
          </Button>
        </SignInNote>
      </>
    );
  return (
    <SignInForm
      errors={errors}
      busy={ask.isPending}
      submit="Send the link"
      onSubmit={({ email = "" }) => ask.mutate(email)}
    >
      <TextField
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        autoFocus
        error={errors.fields["email"]}
      />
    </SignInForm>
  );
}

function TokenForm() {
  const navigate = useNavigate();
  return (
    <SignInForm
      errors={NO_ERRORS}
      busy={false}
      submit="Continue"
      onSubmit={({ token = "" }) => {
        const typed = tokenOf(token);
        if (typed !== "") void navigate({ to: "/reset/$token", params: { token: typed } });
      }}
    >
      <TextField label="Your link or token" name="token" autoComplete="off" />
    </SignInForm>
  );
}
