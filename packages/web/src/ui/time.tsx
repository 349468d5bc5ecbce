export const Time = ({ at, relative = true }: { at: string; relative?: boolean }) => (
  <time dateTime={at} title={at}>
    {relative ? new Date(at).toLocaleString() : new Date(at).toLocaleDateString()}
  </time>
);
