import { Page } from "../frame/page.tsx";

export function Projects() {
  return <Page title="Projects">{null}</Page>;
}
