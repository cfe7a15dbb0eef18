/** The account's sessions, each with a button that ends it, and one for all others. */
import { Laptop } from 'lucide-react';
import { useId, useState } from 'react';
import type { AccountSession } from '../../shared/ipc/app-state.ts';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { ConfirmEachDialog } from '../components/ConfirmEachDialog.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Panel } from '../components/Page.tsx';
import { Skeleton } from '../components/Placeholders.tsx';
import { showToast } from '../components/toast-store.ts';
import { clientName, shortDay } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';
import { useServerNow } from '../use-server-now.ts';
import { useSteps } from '../use-steps.ts';
import { focusSessions, sessionsHeadingId } from './focus-sessions.ts';
import { ServerTimedText } from './ServerTime.tsx';

/** Number of sessions shown at first and added on each request. */
const step = 20;

const reload = () => void runCommand(() => bridge.listSessions());

export function SessionsPanel() {
  const { t } = useMessages();
  const { value, failure } = useApp((app) => app.sessions);
  return (
    <Panel title={t('security.sessions')} headingId={sessionsHeadingId}>
      <p className="hint">{t('security.sessionsHint')}</p>
      {failure !== null && (
        <FailureAlert failure={failure} actions={<ActionButton onPress={reload}>{t('common.retry')}</ActionButton>} />
      )}
      {value === null && failure === null && <Skeleton lines={3} />}
      <SessionList sessions={value ?? []} />
    </Panel>
  );
}

type SessionListProps = { readonly sessions: readonly AccountSession[] };

/** This session first, then the most recently used. */
function SessionList({ sessions }: SessionListProps) {
  const { t } = useMessages();
  const { list, shown, next, showMore } = useSteps(sessions.length, step);
  const rank = ({ isThisSession, lastUsedAt }: AccountSession) =>
    isThisSession ? Number.POSITIVE_INFINITY : Date.parse(lastUsedAt);
  const sorted = sessions.toSorted((one, other) => rank(other) - rank(one));
  return (
    <>
      <ul ref={list} className="devices sessions" aria-label={t('security.sessions')}>
        {sorted.slice(0, shown).map((session) => (
          <SessionRow key={session.sessionId} session={session} />
        ))}
      </ul>
      <div className="panel-actions">
        {next > 0 && (
          <ActionButton variant="quiet" onPress={showMore}>
            {t('security.showMore', { count: next })}
          </ActionButton>
        )}
        <EndOthers sessions={sorted.filter(({ isThisSession }) => !isThisSession)} />
      </div>
    </>
  );
}

/** No button for a single other session, which has one of its own. */
function EndOthers({ sessions }: SessionListProps) {
  const { t } = useMessages();
  const [confirmed, setConfirmed] = useState<readonly AccountSession[] | null>(null);
  return (
    <>
      {sessions.length > 1 && (
        <ActionButton onPress={() => setConfirmed(sessions)}>
          {t('security.endOthers', { count: sessions.length })}
        </ActionButton>
      )}
      {confirmed !== null && (
        <ConfirmEachDialog
          items={confirmed}
          command={({ sessionId }) => bridge.endSession({ sessionId })}
          title={t('security.endOthersTitle', { count: confirmed.length })}
          text={t('security.endOthersText')}
          confirmLabel={t('security.end')}
          describeLeft={(count) => t('security.endOthersLeft', { count })}
          describeDone={(count) => t('security.endedOthers', { count })}
          // Runs after the dialog has returned the focus: the button that opened it has disappeared.
          onDone={() => requestAnimationFrame(focusSessions)}
          onClose={() => setConfirmed(null)}
        />
      )}
    </>
  );
}

/** The current session has no button: users end it by signing out. */
function SessionRow({ session }: { readonly session: AccountSession }) {
  const { t, locale } = useMessages();
  const now = useServerNow();
  const action = useAction();
  const nameId = useId();
  const end = async () => {
    const ended = await action.run(() => bridge.endSession({ sessionId: session.sessionId }));
    if (ended === null) return;
    showToast(t('security.ended'));
    // The button disappears with its row.
    focusSessions();
  };
  return (
    <li className="device" aria-labelledby={nameId}>
      <Laptop className="icon device-icon" aria-hidden />
      <div>
        <p className="device-name">
          <span id={nameId} className="wrap-anywhere">
            {clientName(session.client) || t('security.unknownClient')}
          </span>{' '}
          {session.isThisSession && <span className="badge badge-accent">{t('security.thisSession')}</span>}
        </p>{' '}
        <p className="hint">{t('security.since', { when: shortDay(session.createdAt, now, locale) })}</p>
        {action.failure !== null && <FailureAlert failure={action.failure} />}
      </div>{' '}
      <div className="device-seen">
        <span className="hint">
          <ServerTimedText text={t('security.lastUsed')} at={session.lastUsedAt} />
        </span>
      </div>{' '}
      {!session.isThisSession && (
        <ActionButton pending={action.pending} describedBy={nameId} onPress={() => void end()}>
          {t('security.end')}
        </ActionButton>
      )}
    </li>
  );
}
