/** Details of the selected row; a skeleton while loading, or the reason if there are none. */
import { CircleHelp } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmptyState, Skeleton } from '../../components/Placeholders.tsx';
import { useMessages } from '../i18n/messages.ts';
import { ReadFailure } from '../records/ReadFailure.tsx';
import type { ListName, RowOf } from './use-list.ts';
import { useOpenRow } from './use-open-row.ts';

type OpenRowProps<N extends ListName> = {
  readonly list: N;
  readonly isOpen: (row: RowOf<N>) => boolean;
  readonly children: (row: RowOf<N>) => ReactNode;
};

export function OpenRow<N extends ListName>({ list, isOpen, children }: OpenRowProps<N>) {
  const { t } = useMessages();
  const open = useOpenRow(list, isOpen);
  switch (open.kind) {
    case 'loading':
      return <Skeleton lines={8} />;
    case 'failed':
      return <ReadFailure failure={open.failure} />;
    case 'gone':
      return <EmptyState icon={CircleHelp} title={t('list.gone')} hint={t('list.goneOnPageHint')} />;
    case 'found':
      return children(open.row);
  }
}
