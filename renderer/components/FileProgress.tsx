/** Progress and speed of work on a file, with a Cancel button; says so if nothing moves. */
import { useId } from 'react';
import type { FileProgress as Progress } from '../../shared/ipc/updates.ts';
import { byteCount } from '../i18n/format.ts';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { useUnchanged } from '../use-timers.ts';
import { ActionButton } from './ActionButton.tsx';

type FileProgressProps = Progress & {
  /** Describes the work in progress. */
  readonly label: string;
  readonly fileName: string;
  readonly onCancel: () => void;
};

const stalledAfterMs = 5000;

export function FileProgress({ label, fileName, onCancel, ...numbers }: FileProgressProps) {
  const { t, locale } = useSharedMessages();
  const labelId = useId();
  const isUnchanged = useUnchanged(numbers.doneBytes, stalledAfterMs);
  const isStalled = isUnchanged && numbers.doneBytes < numbers.totalBytes;
  // The last known speed is not the present one.
  const text = t(isStalled ? 'common.fileStalled' : 'common.fileProgress', {
    done: byteCount(numbers.doneBytes, locale),
    total: byteCount(numbers.totalBytes, locale),
    speed: byteCount(numbers.bytesPerSecond, locale),
  });
  const total = Math.max(numbers.totalBytes, 1);
  return (
    <>
      <div
        className="progress"
        role="progressbar"
        aria-labelledby={labelId}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={numbers.doneBytes}
        aria-valuetext={text}
      >
        <span id={labelId} className="label">
          {label}
        </span>{' '}
        <span className="progress-file wrap-anywhere">{fileName}</span>
        <span className="progress-track">
          <span className="progress-bar" style={{ inlineSize: `${(100 * numbers.doneBytes) / total}%` }} />
        </span>
      </div>
      <div className="progress-foot">
        <span className="hint tabular">{text}</span>
        <span className="visually-hidden" aria-live="polite">
          {isStalled && text}
        </span>
        <ActionButton onPress={onCancel}>{t('common.cancel')}</ActionButton>
      </div>
    </>
  );
}
