-- The SIP accounts at which a simulation or a try waits for a call. A registrar sends a call to every service that is registered under
-- an account, so one waits at a time. `account` is in lower case.

CREATE TABLE waiting_accounts (
  organization_id TEXT NOT NULL,
  account TEXT NOT NULL,
  holder_id TEXT NOT NULL,
  leased_until_ms INTEGER NOT NULL, -- a process that dies gives the account back then
  PRIMARY KEY (organization_id, account)
) STRICT;
