import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { z } from "zod";

/**
 * Lets the sign-in library start the session of a user who was checked before. Its own sign-ins start one before a second factor is
 * checked, or with a request of theirs. No request reaches this function: it has no path.
 */
export const sessionStart = {
  id: "session-start",
  endpoints: {
    startSession: createAuthEndpoint.serverOnly(
      { method: "POST", body: z.strictObject({ userId: z.string() }) },
      async (ctx) => {
        const user = await ctx.context.internalAdapter.findUserById(ctx.body.userId);
        if (!user) throw new Error("a session was asked for a user who does not exist");
        const session = await ctx.context.internalAdapter.createSession(user.id);
        await setSessionCookie(ctx, { session, user });
        return { token: session.token, user: { id: user.id } };
      },
    ),
  },
};
