import { Page } from "../frame/page.tsx";

export function MockTools() {
  return <Page title="Mock tools">{null}</Page>;
}
