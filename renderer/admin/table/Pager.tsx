/** The pager below a list: number of rows, and Previous and Next. */
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { ActionButton } from '../../components/ActionButton.tsx';
import { useMessages } from '../i18n/messages.ts';
import { changeParams } from '../routing.ts';
import type { ListPage } from './use-list.ts';

type PagerProps = {
  readonly page: Pick<ListPage<'accounts'>, 'next' | 'total'>;
  /** Start key of the page, from the address; '' for the first page. */
  readonly after: string;
  /** 1-based page number, from the address. */
  readonly number: number;
};

/**
 * Start key of the previous page, for each page reached with Next. A page opened by its address has none, because keys
 * only lead forward: Previous then goes to the first page.
 */
const before = new Map<string, string>();

export function Pager({ page: { next, total }, after, number }: PagerProps) {
  const { t, locale } = useMessages();
  const goToNext = () => {
    if (next === null) return;
    before.set(next, after);
    changeParams({ after: next, page: String(number + 1), open: '' });
    document.getElementById('content')?.scrollTo(0, 0);
  };
  const goToPrevious = () => {
    const previous = before.get(after) ?? '';
    changeParams({ after: previous, page: previous === '' ? '' : String(number - 1), open: '' });
  };
  const count = total.count;
  const values = { count, shown: count.toLocaleString(locale) };
  return (
    <div className="pager">
      <p className="hint tabular" role="status">
        {total.is_exact ? t('list.total', values) : t('list.totalAbout', values)}
        {number > 1 && ` · ${t('list.page', { number })}`}
      </p>
      {(after !== '' || next !== null) && (
        <div className="pager-buttons">
          <ActionButton icon={ChevronLeft} disabled={after === ''} onPress={goToPrevious}>
            {t('list.previous')}
          </ActionButton>
          <ActionButton icon={ChevronRight} disabled={next === null} onPress={goToNext}>
            {t('list.next')}
          </ActionButton>
        </div>
      )}
    </div>
  );
}
