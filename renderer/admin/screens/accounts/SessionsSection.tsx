/** The sessions of an account: device or browser, start and last use. */
import { Laptop } from 'lucide-react';
import type { AccountRecordForStaff } from '../../../../shared/api/admin/accounts.ts';
import { TimedText } from '../../../components/Times.tsx';
import { describeBrowser } from '../../../i18n/describe-browser.ts';
import { clientName } from '../../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { RecordSection } from '../../records/RecordSection.tsx';
import { EndSessionsButton } from './AccountActions.tsx';

type Session = AccountRecordForStaff['sessions'][number];

/** Sessions beyond this number are only counted. */
const shownSessions = 5;

export function SessionsSection({ account }: { readonly account: AccountRecordForStaff }) {
  const { t } = useMessages();
  const { sessions } = account;
  if (sessions.length === 0) return null;
  const used = sessions.toSorted((left, right) => Date.parse(right.last_used_at) - Date.parse(left.last_used_at));
  return (
    <RecordSection title={t('field.sessions')} aside={<EndSessionsButton account={account} />}>
      <p className="hint">{t('accounts.sessionCount', { count: sessions.length })}</p>
      <ul className="record-list" aria-label={t('field.sessions')}>
        {used.slice(0, shownSessions).map((session) => (
          <SessionItem key={session.id} session={session} />
        ))}
      </ul>
    </RecordSection>
  );
}

function SessionItem({ session }: { readonly session: Session }) {
  const { t } = useMessages();
  const { user_agent: userAgent } = session;
  const browser = userAgent.startsWith('Mozilla/') ? describeBrowser(userAgent) : '';
  return (
    <li className="record-item">
      <Laptop className="icon record-icon" aria-hidden />
      <div className="record-item-text">
        <p className="wrap-anywhere" title={userAgent}>
          {browser || clientName(userAgent) || t('accounts.unknownClient')}
        </p>{' '}
        <p className="hint">
          <TimedText text={t('accounts.lastUsed')} at={session.last_used_at} /> ·{' '}
          <TimedText text={t('accounts.signedIn')} at={session.created_at} />
        </p>
      </div>
    </li>
  );
}
