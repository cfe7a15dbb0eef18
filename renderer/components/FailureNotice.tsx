/** A refusal as an alert: what happened, what to do, when to try again, and the details behind a fold. */
import type { ReactNode } from 'react';
import type { Failure } from '../../shared/ipc/result.ts';
import { failureSentence, isOfConnection, mayRetryAt } from '../i18n/failure-sentence.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { Countdown } from './Countdown.tsx';
import { DoctorButton } from './DoctorButton.tsx';
import { FailureDetails } from './FailureDetails.tsx';
import { ToneIcon } from './ToneIcon.tsx';

type Props = {
  readonly failure: Failure;
  /** The buttons that help. */
  readonly acts?: ReactNode;
};

export function FailureNotice({ failure, acts }: Props) {
  const { t } = useSentences();
  const { what, help } = failureSentence(failure, t);
  const until = mayRetryAt(failure);
  const ofConnection = isOfConnection(failure);
  return (
    <div className="banner banner-blocked" role="alert">
      <ToneIcon tone="blocked" />
      <div className="banner-words">
        <div className="banner-title">{what}</div>{' '}
        <div className="banner-text">{until === null ? help : <Countdown until={until} after={help} />}</div>
        <details className="fold">
          <summary>{t('common.details')}</summary>
          <FailureDetails failure={failure} />
        </details>
      </div>
      {(acts !== undefined || ofConnection) && (
        <div className="banner-acts">
          {acts}
          {ofConnection && <DoctorButton />}
        </div>
      )}
    </div>
  );
}
