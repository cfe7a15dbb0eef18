/** A list of entries with their times; entries with facts can be expanded. */
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { CodeFacts } from '../components/CodeFacts.tsx';
import type { ShownEntry } from '../i18n/entries.ts';
import { alignedTime, exactTime } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';

type Props = {
  readonly entries: readonly ShownEntry[];
  readonly label?: string;
};

export function EntryList({ entries, label }: Props) {
  return (
    <ul className="activity" aria-label={label}>
      {entries.map((entry) => (
        <li key={entry.id}>
          {entry.facts === undefined ? (
            <div className="activity-item">
              <EntryText entry={entry} />
            </div>
          ) : (
            <EntryFold entry={entry} facts={entry.facts} />
          )}
        </li>
      ))}
    </ul>
  );
}

type EntryFoldProps = { readonly entry: ShownEntry; readonly facts: NonNullable<ShownEntry['facts']> };

/** An expandable entry. Its facts are rendered only while it is open. */
function EntryFold({ entry, facts }: EntryFoldProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="activity-fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="activity-item">
        <EntryText entry={entry} />
        <ChevronDown className="icon icon-small activity-chevron" aria-hidden />
      </summary>
      {open && <CodeFacts facts={facts} at={entry.at} />}
    </details>
  );
}

function EntryText({ entry: { at, tone, text, detail } }: { readonly entry: ShownEntry }) {
  const { locale } = useMessages();
  return (
    <>
      <time className="activity-time tabular" dateTime={at} title={exactTime(at, locale)}>
        {alignedTime(at, locale)}
      </time>{' '}
      <span className={`activity-dot tone-${tone}`} aria-hidden />
      <span className="activity-text">
        {text}
        {detail !== null && <span className="activity-detail wrap-anywhere"> · {detail}</span>}
      </span>
    </>
  );
}
