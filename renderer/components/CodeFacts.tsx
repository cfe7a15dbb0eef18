/** Exact names and values in small type, for support, with a button that copies them all. */
import { CopyButton } from './CopyButton.tsx';

type Props = {
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Time in ISO 8601, copied after the facts. */
  readonly at: string;
};

export function CodeFacts({ facts, at }: Props) {
  const text = facts.map(([name, value]) => `${name}: ${value}`).join('\n');
  return (
    <div className="failure-details">
      <dl className="facts facts-small">
        {facts.map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt> <dd className="mono wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      <CopyButton text={`${text}\n${at}`} />
    </div>
  );
}
