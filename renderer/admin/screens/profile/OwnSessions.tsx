/** The user's own sessions on the admin page, each with a button to end it. */
import { Laptop } from 'lucide-react';
import type { AdminResponseOf } from '../../../../shared/api/admin-endpoints.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { Panel } from '../../../components/Page.tsx';
import { Skeleton } from '../../../components/Placeholders.tsx';
import { RelativeTime } from '../../../components/Times.tsx';
import { describeBrowser } from '../../../i18n/describe-browser.ts';
import { failureOf, useRead } from '../../api/queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { ReadFailure } from '../../records/ReadFailure.tsx';
import { useSignOut } from '../../session/use-sign-out.ts';

type Session = AdminResponseOf<'staffSessions'>['sessions'][number];

export function OwnSessions() {
  const { t } = useMessages();
  const result = useRead('staffSessions');
  const failure = failureOf(result);
  return (
    <Panel title={t('field.sessions')}>
      <p className="panel-intro">{t('session.listIntro')}</p>
      {failure !== null && <ReadFailure failure={failure} />}
      {result.data === undefined && failure === null && <Skeleton lines={2} />}
      <ul className="record-list" aria-label={t('field.sessions')}>
        {result.data?.sessions.map((session) => (
          <SessionItem key={session.id} session={session} />
        ))}
      </ul>
    </Panel>
  );
}

function SessionItem({ session }: { readonly session: Session }) {
  const { t } = useMessages();
  const change = useChange();
  const signOut = useSignOut();
  const end = async () => {
    // Ending the current session would leave the page without one, so sign out instead.
    if (session.current) return signOut();
    await change.run('endStaffSession', { params: { id: session.id } }, t('session.ended'));
  };
  return (
    <li className="record-item">
      <Laptop className="icon record-icon" aria-hidden />
      <div className="record-item-text">
        <p className="wrap-anywhere" title={session.user_agent}>
          {describeBrowser(session.user_agent) || t('session.unknownBrowser')}{' '}
          {session.current && <span className="badge badge-accent">{t('session.thisBrowser')}</span>}
        </p>{' '}
        <p className="hint">
          <span className="tabular">{session.address}</span> · {t('field.lastUsed')}{' '}
          <RelativeTime at={session.last_used_at} />
        </p>
        {change.failure !== null && <FailureAlert failure={change.failure} />}
      </div>{' '}
      <ActionButton pending={change.pending} onPress={() => void end()}>
        {session.current ? t('session.signOut') : t('session.end')}
      </ActionButton>
    </li>
  );
}
