import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { z } from "zod";

/**
 * Plugin that lets the sign-in library start a session for a user whom the service has already authenticated. The library's own sign-in
 * would start the session before the second factor is checked. The plugin's endpoint has no path, so no request can reach it.
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
