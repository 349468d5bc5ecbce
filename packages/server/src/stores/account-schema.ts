import type { Role } from "@svc/contract";
import type { Generated } from "kysely";

export type Named = { id: string; name: string; created_at: string; updated_at: string };

export type AccountSchema = {
  users: {
    id: string;
    name: string;
    /** The unique name with which the person signs in. */
    email: string;
    email_verified: 0 | 1;
    /** The email address that people see. Several accounts may have the same one. */
    address: string;
    created_at: string;
    updated_at: string;
  };
  sessions: {
    id: string;
    user_id: string;
    token_sha256: string;
    organization_id: string | null;
    /** The organization whose identity provider started the session. */
    sso_organization_id: string | null;
    user_agent: string | null;
    expires_at: string;
    created_at: string;
  };
  sign_ins: {
    id: string;
    account_id: string;
    user_id: string;
    provider_id: string;
    password: string | null;
    created_at: string;
    updated_at: string;
  };
  sso_providers: {
    organization_id: string;
    issuer: string;
    client_id: string;
    domains: string;
    required: 0 | 1;
    join_role: "member" | "viewer" | null;
    created_at: string;
    updated_at: string;
  };
  sso_sign_ins: {
    state_sha256: string;
    browser_sha256: string;
    organization_id: string;
    issuer: string;
    nonce: string;
    code_verifier: string;
    redirect_uri: string;
    expires_ms: number;
  };
  sso_identities: { organization_id: string; issuer: string; subject: string; user_id: string; created_at: string };
  second_factors: { user_id: string; last_step: number; created_at: string };
  passkeys: {
    id: string;
    user_id: string;
    name: string;
    credential_id: string;
    public_key: string;
    algorithm: number;
    rp_id: string;
    counter: number;
    created_at: string;
    last_used_at: string | null;
  };
  passkey_challenges: { challenge_sha256: string; user_id: string | null; expires_ms: number };
  recovery_codes: { code_sha256: string; user_id: string };
  password_resets: {
    token_sha256: string;
    user_id: string;
    organization_id: string | null;
    expires_at: string;
    created_at: string;
  };
  relayed_requests: {
    id: string;
    holder: string;
    request: string;
    taken: Generated<0 | 1>;
    answer: string | null;
    ends_ms: number;
  };
  waiting_accounts: { organization_id: string; account: string; holder_id: string; leased_until_ms: number };
  tries_under_way: { id: string; organization_id: string; leased_until_ms: number };
  password_attempts: { subject: string; count: number; next_ms: number };
  clock_witness: { id: number; seen_ms: number; hold_ms: number };
  device_requests: {
    id: string;
    device_code_sha256: string;
    user_code: string;
    client_name: string;
    status: "pending" | "approved" | "denied";
    user_id: string | null;
    organization_id: string | null;
    interval_seconds: number;
    polled_ms: number | null;
    expires_ms: number;
    created_at: string;
  };
  organizations: Named;
  memberships: { id: string; organization_id: string; user_id: string; role: Role; created_at: string };
  invitations: {
    id: string;
    organization_id: string;
    email: string;
    role: Role;
    token_sha256: string;
    expires_at: string;
    accepted_at: string | null;
    invited_by_user_id: string | null;
    created_at: string;
  };
  projects: Named & {
    number: Generated<number>;
    organization_id: string;
    slug: string;
    /** Null: only the retention of the service applies. */
    retention_days: Generated<number | null>;
    version_attribute: Generated<string | null>;
  };
  api_keys: {
    id: string;
    organization_id: string;
    project_id: string | null;
    created_by_user_id: string;
    name: string | null;
    secret_sha256: string;
    last_four: string;
    /** JSON array of names of `KEY_PERMISSIONS`. */
    permissions: Generated<string>;
    created_at: string;
    expires_at: string | null;
    last_used_at: string | null;
    last_used_address: string | null;
    revoked_at: string | null;
  };
  /** Rows are inserted and, after the retention, deleted. They are never updated. */
  audit_lines: {
    id: string;
    organization_id: string;
    created_at: string;
    operation: string;
    via: "session" | "key" | "none" | "operator";
    user_id: string | null;
    email: string | null;
    session_id: string | null;
    key_id: string | null;
    key_name: string | null;
    key_last_four: string | null;
    address: string | null;
    request_id: string | null;
    project_id: string | null;
    resource_kind: string | null;
    resource_id: string | null;
    detail: string | null;
  };
  audit_outcomes: { line_id: string; error: string | null; created_kind: string | null; created_id: string | null };
};
