import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { NO_ERRORS } from "../ui/form.ts";
import { TextField } from "../ui/field.tsx";
import { SignInLayout, SignInForm, SignInNote } from "./layout.tsx";
import { FounderForm } from "./founder-form.tsx";
import { tokenOf } from "./enter.ts";

const route = getRouteApi("/sign-up");

export function SignUp() {
  const { instance } = route.useLoaderData();
  const { to } = route.useSearch();
  return (
    <SignInLayout
      title="Create an account"
      lede={
        instance.open_sign_up
          ? "You become the admin of a new organization."
          : "This service accepts new people by invitation only. Ask an admin of your organization for an invitation."
      }
    >
      {instance.open_sign_up ? <FounderForm submit="Create the account" /> : <InvitationForm />}
      <SignInNote>
        You have an account?{" "}
        <Link to="/sign-in" search={{ to }}>
          Sign in.
        </Link>
      </SignInNote>
    </SignInLayout>
  );
}

function InvitationForm() {
  const navigate = useNavigate();
  return (
    <SignInForm
      errors={NO_ERRORS}
      busy={false}
      submit="Open the invitation"
      onSubmit={({ token = "" }) => {
        const typed = tokenOf(token);
        if (typed !== "") void navigate({ to: "/invitation/$token", params: { token: typed } });
      }}
    >
      <TextField
        label="Your invitation"
        name="token"
        autoComplete="off"
        autoFocus
        help="The link or the token that you received."
      />
    </SignInForm>
  );
}
