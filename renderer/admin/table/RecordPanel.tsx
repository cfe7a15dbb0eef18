/** The open record beside its table, or on top of it if there is no space. */
import type { UseQueryResult } from '@tanstack/react-query';
import { CircleHelp, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { IconButton } from '../../components/ActionButton.tsx';
import { EmptyState, Skeleton } from '../../components/Placeholders.tsx';
import { failureOf } from '../api/queries.ts';
import { useMessages } from '../i18n/messages.ts';
import { ReadFailure } from '../records/ReadFailure.tsx';

type RecordPanelProps = {
  readonly id: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** Width without space beside the table; the style sheets use the same value. */
const narrow = window.matchMedia('(max-width: 62em)');

/** Takes the focus when it opens; Escape closes it and returns the focus to the row. */
export function RecordPanel({ id, onClose, children }: RecordPanelProps) {
  const { t } = useMessages();
  const ref = useRef<HTMLElement>(null);
  const covers = useSyncExternalStore(watchWidth, () => narrow.matches);
  useEffect(() => {
    ref.current?.focus();
    return () => focusRow(id);
  }, [id]);
  useEffect(() => {
    const behind = [...document.querySelectorAll<HTMLElement>('.list-main, .sidebar')];
    for (const element of behind) element.inert = covers;
    return () => {
      for (const element of behind) element.inert = false;
    };
  }, [covers]);
  return (
    <aside
      ref={ref}
      className="record"
      aria-label={t('list.record')}
      tabIndex={-1}
      onKeyDown={(event) => {
        // An open dialog or menu closes first.
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        if (!event.currentTarget.contains(event.target as Node)) return;
        onClose();
      }}
    >
      <div className="record-close">
        <IconButton icon={X} label={t('list.closeRecord')} onPress={onClose} />
      </div>
      {children}
    </aside>
  );
}

function watchWidth(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
}

/** Focuses the row, unless something else has taken the focus. */
function focusRow(id: string): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body && document.activeElement !== null) return;
    document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus();
  });
}

type RecordContentProps<T> = {
  readonly result: UseQueryResult<T>;
  readonly children: (record: T) => ReactNode;
};

/** The loaded record; until then a skeleton, or why it cannot be read. */
export function RecordContent<T>({ result, children }: RecordContentProps<T>) {
  const { t } = useMessages();
  const failure = failureOf(result);
  // Also if it was deleted after it had been read.
  if (result.error?.code === 'NOT_FOUND') {
    return <EmptyState icon={CircleHelp} title={t('list.gone')} hint={t('list.goneHint')} />;
  }
  if (failure !== null) return <ReadFailure failure={failure} />;
  return result.data === undefined ? <Skeleton lines={10} /> : children(result.data);
}
