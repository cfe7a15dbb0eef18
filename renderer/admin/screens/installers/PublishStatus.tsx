/** Progress of publishing, or why the last attempt failed. */
import { useEffect, useRef } from 'react';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { FileProgress } from '../../../components/FileProgress.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { cancelPublishing, usePublishing } from './publish-store.ts';

/** `onCanceled` must move the focus, because the focused button disappears. */
export function PublishStatus({ onCanceled }: { readonly onCanceled: () => void }) {
  const { t } = useMessages();
  const job = usePublishing((state) => state.job);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (job.kind !== 'idle') ref.current?.scrollIntoView({ block: 'nearest' });
  }, [job.kind]);
  const cancel = () => {
    cancelPublishing();
    onCanceled();
  };
  return (
    <div ref={ref} className="publish-status">
      {job.kind === 'running' && job.progress !== null && (
        <FileProgress
          {...job.progress}
          label={t(`installers.step.${job.progress.step}`, {
            platform: t(`installerPlatform.${job.progress.platform}`),
          })}
          onCancel={cancel}
        />
      )}
      {job.kind === 'failed' && (
        <>
          {job.platform !== null && (
            <p className="label">{t('installers.failedFor', { platform: t(`installerPlatform.${job.platform}`) })}</p>
          )}
          <FailureAlert failure={job.failure} />
        </>
      )}
      <p className="hint" role="status">
        {job.kind === 'canceled' && t('installers.canceled')}
      </p>
    </div>
  );
}
