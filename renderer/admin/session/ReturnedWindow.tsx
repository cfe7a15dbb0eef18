/** Content of the window that was opened for the identity provider, after it has returned. */
import { useEffect } from 'react';
import type { SingleSignOnOutcome } from '../../../shared/api/admin/single-sign-on-outcome.ts';
import { FailureAlert } from '../../components/FailureAlert.tsx';
import { useMessages } from '../i18n/messages.ts';
import { SessionCard } from './SessionCard.tsx';
import { newFailure, problemOf } from './single-sign-on.ts';

export function ReturnedWindow({ outcome: { result } }: { readonly outcome: SingleSignOnOutcome }) {
  const { t } = useMessages();
  const problem = problemOf(result);
  const title = problem !== undefined ? t('session.notReturned') : t('session.returned');
  useEffect(() => {
    document.title = `${title} · ${t('name')}`;
  }, [title, t]);
  return (
    <SessionCard title={title} intro={t('session.closeWindow')}>
      {problem !== undefined && <FailureAlert failure={newFailure(problem)} />}
    </SessionCard>
  );
}
