import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, startChatAgent, useTool } from "../../support/chat-agent.ts";
import { chatConnection } from "../../support/runs.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { addInspection, sidewaysScrollOf, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";

describeInBrowser("a person who tries a connection in writing", (open) => {
  let service: TestServer;
  let context: BrowserContext;
  let agent: ChatAgent;
  beforeAll(async () => {
    service = await startEmpty();
    agent = await startChatAgent(async (spoken) => {
      if (spoken.event === "start") return {};
      if (spoken.message === "Goodbye.") return { message: "Good night.", ended: true };
      if (spoken.message === "For Friday.") await useTool(spoken, "look_up", { day: "Friday" });
      return { message: `Number ${spoken.turn}: ${spoken.message}` };
    });
    await service.client.mockTools.create({ tool: "look_up", answer: { free: true } });
    context = await openContext(open.browser, service.url);
    await addInspection(context);
  });
  afterAll(async () => {
    await context.close();
    await service.stop();
    agent.stop();
  });

  test("talks on with the agent in one conversation, which ends with the dialog", async () => {
    const { agentId } = await chatConnection(service.client, agent.url);
    const { organization } = await service.admin.organization.get();
    const { page, errors } = await openPage(
      context,
      `/o/${organization.id}/p/${service.project.slug}/agents/${agentId}`,
    );
    await page.getByRole("button", { name: "Try" }).click();
    const dialog = page.getByRole("dialog");
    const says = dialog.getByLabel("Say something to the agent");
    const say = async (words: string) => {
      await says.fill(words);
      await says.press("Enter");
    };
    const log = dialog.getByRole("log", { name: "Conversation" });
    await say("A room.");
    await log.getByText("Number 1: A room.").waitFor();
    await say("For Friday.");
    await log.getByText("Number 2: For Friday.").waitFor();
    await log.getByText(/Mocked after .* given {"day":"Friday"}/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/talk.png" });
    await page.setViewportSize({ width: 390, height: 844 });
    if (process.env["SPEC_PICTURES"]) await page.screenshot({ path: "pictures/talk-narrow.png" });
    expect([...(await violationsOf(page)), ...(await sidewaysScrollOf(page))]).toEqual([]);

    await say("Goodbye.");
    await log.getByText("The conversation has ended. A further message begins another.").waitFor();
    await say("Again.");
    await log.getByText("Number 1: Again.").waitFor();
    expect(await log.getByText("Number 2").count()).toBe(0);
    const { simulationId } = agent.heard.at(-1)!;
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await until("the end of the conversation", () =>
      agent.heard.some((spoken) => spoken.simulationId === simulationId && spoken.event === "end"),
    );
    expect(errors).toEqual([]);
    await page.close();
  });
});
