/** How far a file has been read: progress, speed, and a way to stop. */
import { Label, ProgressBar } from 'react-aria-components';
import type { InstallerState } from '../../../shared/ipc/app-state.ts';
import { ask, bridge } from '../../bridge.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { byteCount } from '../../i18n/bytes.ts';
import { useSentences } from '../../i18n/use-sentences.ts';

export function Verifying({ progress }: { readonly progress: Extract<InstallerState, { kind: 'verifying' }> }) {
  const { t, locale } = useSentences();
  const words = t('installer.progress', {
    done: byteCount(progress.doneBytes, locale),
    total: byteCount(progress.totalBytes, locale),
    speed: byteCount(progress.bytesPerSecond, locale),
  });
  return (
    <div className="panel">
      <ProgressBar
        className="progress"
        value={progress.doneBytes}
        maxValue={Math.max(progress.totalBytes, 1)}
        valueLabel={words}
      >
        {({ percentage }) => (
          <>
            <Label className="label">{t('installer.verifying')}</Label>{' '}
            <span className="progress-file wrap-anywhere">{progress.fileName}</span>
            <span className="progress-track">
              <span className="progress-bar" style={{ inlineSize: `${percentage ?? 0}%` }} />
            </span>
          </>
        )}
      </ProgressBar>
      <div className="progress-foot">
        <span className="hint tabular">{words}</span>
        <ActButton onPress={() => void ask(() => bridge.cancelVerification())}>{t('installer.cancel')}</ActButton>
      </div>
    </div>
  );
}
