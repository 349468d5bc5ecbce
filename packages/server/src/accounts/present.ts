import type { Invitation, Member } from "@svc/contract";
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
