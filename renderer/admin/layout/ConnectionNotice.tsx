/** A notice above every screen while the server does not respond; retries until it does. */
import { useQueryClient } from '@tanstack/react-query';
import { WifiOff } from 'lucide-react';
import { useEffect } from 'react';
import { ActionButton } from '../../components/ActionButton.tsx';
import { shortTime } from '../../i18n/format.ts';
import { sendCall } from '../api/admin-calls.ts';
import { recordOutcome, useConnection } from '../api/connection-store.ts';
import { readAgain } from '../api/queries.ts';
import { useMessages } from '../i18n/messages.ts';

const retryMs = 15_000;

export function ConnectionNotice() {
  const { t, locale } = useMessages();
  const lostAt = useConnection((state) => state.lostAt);
  const queries = useQueryClient();
  const retry = async () => {
    const result = await sendCall('staffSession');
    recordOutcome(result.ok ? null : result.failure.code);
    if (useConnection.getState().lostAt === null) void readAgain(queries);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: keeps one timer while the server is unreachable
  useEffect(() => {
    if (lostAt === null) return;
    const timer = window.setInterval(() => void retry(), retryMs);
    window.addEventListener('online', retry);
    return () => {
      window.clearInterval(timer);
      window.removeEventListener('online', retry);
    };
  }, [lostAt]);
  if (lostAt === null) return <div className="notice" role="status" />;
  return (
    <div className="notice notice-shown" role="status">
      <WifiOff className="icon" aria-hidden />
      <p>{t('connection.lost', { since: shortTime(lostAt, Date.now(), locale) })}</p>
      <ActionButton variant="quiet" onPress={() => void retry()}>
        {t('common.retry')}
      </ActionButton>
    </div>
  );
}
