import { Page } from "../frame/page.tsx";

export function Setup() {
  return <Page title="Set up platform_a">{null}</Page>;
}
