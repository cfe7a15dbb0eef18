/** A list of what happened, each entry with its time; one with exact names and values unfolds them. */
import { ChevronDown } from 'lucide-react';
import type { Ref } from 'react';
import { CodeFacts } from '../components/CodeFacts.tsx';
import type { ShownEntry } from '../i18n/entries.ts';
import { clockTime, exactTime } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';

type Props = {
  readonly entries: readonly ShownEntry[];
  readonly label?: string;
  readonly ref?: Ref<HTMLUListElement>;
};

export function EntryList({ entries, label, ref }: Props) {
  return (
    <ul ref={ref} className="activity" aria-label={label}>
      {entries.map((entry) => (
        <li key={entry.id}>
          {entry.facts === undefined ? (
            <div className="activity-item">
              <EntryText entry={entry} />
            </div>
          ) : (
            <details className="activity-fold">
              <summary className="activity-item">
                <EntryText entry={entry} />
                <ChevronDown className="icon icon-small activity-chevron" aria-hidden />
              </summary>
              <CodeFacts facts={entry.facts} at={entry.at} />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

function EntryText({ entry: { at, tone, text, detail } }: { readonly entry: ShownEntry }) {
  const { locale } = useMessages();
  return (
    <>
      <time className="activity-time tabular" dateTime={at} title={exactTime(at, locale)}>
        {clockTime(at, locale)}
      </time>{' '}
      <span className={`activity-dot tone-${tone}`} aria-hidden />
      <span className="activity-text">
        {text}
        {detail !== null && <span className="activity-detail wrap-anywhere"> · {detail}</span>}
      </span>
    </>
  );
}
