/** Shows a failure: what happened, what to do, when to try again, and details for support. */
import { createContext, type ReactNode, useContext } from 'react';
import type { Failure } from '../../shared/ipc/result.ts';
import { failureMessage, isConnectionFailure, retryAtMs } from '../i18n/failure-message.ts';
import { exactTime } from '../i18n/format.ts';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { Banner } from './Banner.tsx';
import { CodeFacts } from './CodeFacts.tsx';
import { Countdown } from './Times.tsx';

type FailureAlertProps = {
  readonly failure: Failure;
  readonly actions?: ReactNode;
};

/** The button that helps when the server could not be reached; `null` on a page without one. */
export const ConnectionHelp = createContext<ReactNode>(null);

/** Shows the failure, with `ConnectionHelp` if the server could not be reached. */
export function FailureAlert({ failure, actions }: FailureAlertProps) {
  const { t } = useSharedMessages();
  const message = failureMessage(failure, t);
  const retryAt = retryAtMs(failure);
  const connectionHelp = useContext(ConnectionHelp);
  const help = isConnectionFailure(failure) ? connectionHelp : null;
  return (
    <Banner
      tone="blocked"
      role="alert"
      title={message.what}
      details={
        <details className="fold">
          <summary>{t('common.details')}</summary>
          <FailureDetails failure={failure} />
        </details>
      }
      actions={
        actions !== undefined || help !== null ? (
          <>
            {actions}
            {help}
          </>
        ) : null
      }
    >
      {retryAt === null ? message.help : <Countdown until={retryAt} after={message.help} />}
    </Banner>
  );
}

/** Code, request id, time and the server's message, with a button to copy them all. */
export function FailureDetails({ failure }: { readonly failure: Failure }) {
  const { t, locale } = useSharedMessages();
  const rows: readonly (readonly [string, string])[] = [
    [t('common.code'), [failure.code, failure.networkCode ?? []].flat().join(' · ')],
    ...(failure.requestId === undefined ? [] : [[t('common.requestId'), failure.requestId] as const]),
    [t('common.time'), exactTime(failure.at, locale)],
    [t('common.message'), failure.message],
  ];
  return <CodeFacts facts={rows} at={failure.at} />;
}
