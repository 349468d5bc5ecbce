import { Copy, GitCompareArrows, Play } from "lucide-react";
import { useState } from "react";
import { Button, buttonClass } from "../../../packages/web/src/ui/button.tsx";
import { Card, Section } from "../../../packages/web/src/ui/card.tsx";
import { Checkbox, RadioGroup, Switch } from "../../../packages/web/src/ui/check.tsx";
import { Combobox } from "../../../packages/web/src/ui/combobox.tsx";
import { CopyButton, CopyLine } from "../../../packages/web/src/ui/copy.tsx";
import { SearchField, Select, TextArea, TextField } from "../../../packages/web/src/ui/field.tsx";
import { Filter, Filters, FilterText } from "../../../packages/web/src/ui/filter.tsx";
import { Segmented } from "../../../packages/web/src/ui/segmented.tsx";
import { Tabs } from "../../../packages/web/src/ui/tabs.tsx";
import { Tooltip } from "../../../packages/web/src/ui/tooltip.tsx";
import styles from "./gallery.module.css";
import { LONG_WORD } from "./hostile.ts";

const PERSONAS = ["calm", "angry", "hurried", LONG_WORD].map((value) => ({ value, label: value }));

/** Shows buttons, fields and filters. */
export function Controls() {
  const [bucket, setBucket] = useState("day");
  const [search, setSearch] = useState("");
  const [source, setSource] = useState<string | undefined>("production");
  const [agent, setAgent] = useState<string>();
  const [words, setWords] = useState<string>();
  const [personas, setPersonas] = useState(["calm", "angry"]);
  const [one, setOne] = useState(["hurried"]);
  const [isLive, setLive] = useState(true);
  const [tab, setTab] = useState("turn");
  const [choice, setChoice] = useState("script");
  return (
    <Section title="Controls">
      <Card title="Buttons">
        <div className={styles["row"]}>
          <Button look="primary">
            <Play size={14} aria-hidden />
            Start a run
          </Button>
          <Button>
            <GitCompareArrows size={14} aria-hidden />
            Compare
          </Button>
          <Button look="quiet">Grade again</Button>
          <Button look="danger">Revoke</Button>
          <Button disabled>Save</Button>
          <Button look="primary" busy>
            Saving
          </Button>
          <Button small>Open</Button>
          <Tooltip text="Copies the address of this page">
            <Button look="quiet" iconOnly aria-label="Copy the address">
              <Copy size={16} aria-hidden />
            </Button>
          </Tooltip>
          <a className={buttonClass()} href="#top">
            A link
          </a>
          <CopyButton text="req_0123">Copy the request id</CopyButton>
          <Segmented
            label="Bucket"
            value={bucket}
            options={[
              { value: "day", label: "by day" },
              { value: "hour", label: "by hour" },
            ]}
            onChange={setBucket}
          />
          <Switch label="Live" checked={isLive} onChange={setLive} />
          <kbd>Ctrl K</kbd>
        </div>
      </Card>
      <Card title="Filters">
        <Filters>
          <SearchField label="Search what was said" value={search} onChange={setSearch} />
          <Filter
            name="Source"
            value={source}
            options={[
              { value: "production", label: "production" },
              { value: "simulation", label: "simulation" },
            ]}
            onChange={setSource}
          />
          <Filter name="Agent" value={agent} options={PERSONAS} onChange={setAgent} />
          <FilterText name="Words" value={words} onChange={setWords} />
        </Filters>
      </Card>
      <Card title="Fields">
        <div className={styles["fields"]}>
          <TextField label="Name" defaultValue="Books a room" error="Another test of this project has this name." />
          <TextField label="Address" placeholder="wss://agent.example.com" help="The service connects from here." />
          <TextField label="E-mail" value="ada@example.com" readOnly />
          <Select
            label="Model"
            options={[
              { value: "a", label: "openai / gpt-4o-mini-tts" },
              { value: "b", label: LONG_WORD },
            ]}
          />
          <Combobox label="Personas" multiple options={PERSONAS} values={personas} onChange={setPersonas} />
          <Combobox label="Agent" options={PERSONAS} values={one} onChange={setOne} />
          <TextArea label="Scenario" defaultValue={"Ana Silva books a room.\n\nCaller says:\n- Hello"} />
          <div>
            <Checkbox label="Keep the recording" help="Recordings stay for 30 days." defaultChecked />
            <RadioGroup
              legend="Caller"
              value={choice}
              options={[
                { value: "script", label: "Script", help: "Says the lines word for word." },
                { value: "model", label: "Language model" },
              ]}
              onChange={setChoice}
            />
          </div>
        </div>
      </Card>
      <Card title="Lines to paste">
        <CopyLine text={`export SVC_URL=https://svc.example.com\nexport SVC_KEY=${LONG_WORD}`} />
      </Card>
      <Card>
        <Tabs
          label="Inspector"
          selected={tab}
          tabs={[
            { id: "turn", label: "Turn" },
            { id: "measures", label: "Measures", count: 14 },
            { id: "quality", label: "Quality" },
          ]}
          onSelect={setTab}
        >
          <p>{tab}</p>
        </Tabs>
      </Card>
    </Section>
  );
}
