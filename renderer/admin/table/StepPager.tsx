/** Previous and Next for a list that is part of a screen. */
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { ActionButton } from '../../components/ActionButton.tsx';
import { useMessages } from '../i18n/messages.ts';
import type { Steps } from './use-steps.ts';

type StepPagerProps = {
  readonly steps: Steps;
  /** Key of the page after the current one. */
  readonly next: string | null;
};

/** Renders nothing if there is only one page. */
export function StepPager({ steps, next }: StepPagerProps) {
  const { t } = useMessages();
  if (steps.after === null && next === null) return null;
  return (
    <div className="pager-buttons">
      <ActionButton icon={ChevronLeft} disabled={steps.after === null} onPress={steps.goBack}>
        {t('list.previous')}
      </ActionButton>
      <ActionButton icon={ChevronRight} disabled={next === null} onPress={() => next !== null && steps.goForward(next)}>
        {t('list.next')}
      </ActionButton>
    </div>
  );
}
