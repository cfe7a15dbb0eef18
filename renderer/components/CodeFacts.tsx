/** Exact names and values in small type, for who helps the user, with a button that copies them all. */
import { CopyButton } from './CopyButton.tsx';

type Props = {
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Copied after them: the time in a form that every program reads. */
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
