import type { Invitation, InvitationPreview, Member, OwnSession } from "@svc/contract";
import type { z } from "zod";
import type { InvitationRow, MemberRow } from "./rules.ts";

export const presentMember = (row: MemberRow): z.infer<typeof Member> => ({
  userId: row.user_id,
  name: row.name,
  email: row.email,
  role: row.role,
  createdAt: row.created_at,
});

export const presentInvitation = (row: InvitationRow): z.infer<typeof Invitation> => ({
  id: row.id,
  email: row.email,
  role: row.role,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
});

export const presentPreview = (
  row: InvitationRow,
  organization: { name: string },
  inviter: MemberRow | undefined,
): z.infer<typeof InvitationPreview> => ({
  organization: { name: organization.name },
  inviter: inviter ? { name: inviter.name } : null,
  email: row.email,
  role: row.role,
  expiresAt: row.expires_at,
});

type SessionRow = { id: string; user_agent: string | null; created_at: string; expires_at: string };

export const presentOwnSession = (row: SessionRow, current: boolean): z.infer<typeof OwnSession> => ({
  id: row.id,
  current,
  user_agent: row.user_agent === "" ? null : row.user_agent,
  created_at: row.created_at,
  expires_at: row.expires_at,
});
