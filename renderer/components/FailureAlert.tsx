/** Shows a failure: what happened, what to do, when to try again, and details for support. */
import { Stethoscope } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Failure } from '../../shared/ipc/result.ts';
import { failureMessage, isConnectionFailure, retryAtMs } from '../i18n/failure-message.ts';
import { exactTime } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { showDoctor } from '../store.ts';
import { ActionButton } from './ActionButton.tsx';
import { Banner } from './Banner.tsx';
import { CopyButton } from './CopyButton.tsx';
import { Countdown } from './Times.tsx';

type FailureAlertProps = {
  readonly failure: Failure;
  readonly actions?: ReactNode;
};

/** Offers the connection doctor where the server could not be reached. */
export function FailureAlert({ failure, actions }: FailureAlertProps) {
  const { t } = useMessages();
  const { what, help } = failureMessage(failure, t);
  const retryAt = retryAtMs(failure);
  const doctor = isConnectionFailure(failure) ? <DoctorButton /> : null;
  return (
    <Banner
      tone="blocked"
      role="alert"
      title={what}
      details={
        <details className="fold">
          <summary>{t('common.details')}</summary>
          <FailureDetails failure={failure} />
        </details>
      }
      actions={
        actions !== undefined || doctor !== null ? (
          <>
            {actions}
            {doctor}
          </>
        ) : null
      }
    >
      {retryAt === null ? help : <Countdown until={retryAt} after={help} />}
    </Banner>
  );
}

/** Code, request id, time and the server's message, with a button that copies them all. */
export function FailureDetails({ failure }: { readonly failure: Failure }) {
  const { t, locale } = useMessages();
  const rows: readonly (readonly [string, string])[] = [
    [t('common.code'), failure.code],
    ...(failure.requestId === undefined ? [] : [[t('common.requestId'), failure.requestId] as const]),
    [t('common.time'), exactTime(failure.at, locale)],
    [t('common.message'), failure.message],
  ];
  const text = rows.map(([name, value]) => `${name}: ${value}`).join('\n');
  return (
    <div className="failure-details">
      <dl className="facts facts-small">
        {rows.map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt> <dd className="mono wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      <CopyButton text={`${text}\n${failure.at}`} />
    </div>
  );
}

/** Opens the connection doctor. */
export function DoctorButton({ onPress }: { readonly onPress?: () => void }) {
  const { t } = useMessages();
  const open = () => {
    onPress?.();
    showDoctor(true);
  };
  return (
    <ActionButton icon={Stethoscope} onPress={open}>
      {t('doctor.title')}
    </ActionButton>
  );
}
