/** Versions offered to installed apps as updates; owners can also change the rollout of each. */
import { useState } from 'react';
import type { UpdateFeedVersion } from '../../../../shared/api/admin/updates.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Panel } from '../../../components/Page.tsx';
import { TimedText } from '../../../components/Times.tsx';
import { failureOf, useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { ReadFailure } from '../../records/ReadFailure.tsx';
import { useMay } from '../../session/session-store.ts';
import { RolloutDialog } from './RolloutDialog.tsx';
import { WithdrawUpdateDialog } from './WithdrawUpdateDialog.tsx';

/** Hidden while the feed is empty, because updates are published with the admin command. */
export function UpdateFeedPanel() {
  const { t } = useMessages();
  const result = useRead('updateFeed');
  const failure = failureOf(result);
  const versions = result.data?.versions ?? [];
  if (failure !== null) return <ReadFailure failure={failure} />;
  if (versions.length === 0) return null;
  return (
    <Panel title={t('updates.title')} className="wrap-anywhere">
      <p className="hint">{t('updates.intro')}</p>
      <ul className="record-list" aria-label={t('updates.versions')}>
        {versions.map((version, index) => (
          <UpdateVersion key={version.version} update={version} before={versions[index + 1]?.version ?? null} />
        ))}
      </ul>
    </Panel>
  );
}

type UpdateVersionProps = { readonly update: UpdateFeedVersion; readonly before: string | null };

function UpdateVersion({ update, before }: UpdateVersionProps) {
  const { t } = useMessages();
  const mayChange = useMay('rolloutUpdate');
  const [dialog, setDialog] = useState<'rollout' | 'withdraw' | null>(null);
  const { version, percent, manifest, files } = update;
  const missing = files.filter((file) => file.missing).length;
  const close = () => setDialog(null);
  return (
    <li className="record-item">
      <div className="record-item-text">
        <p>{t('installers.versionTitle', { version })}</p>
        <p className="hint">
          <TimedText text={t('installers.publishedAt')} at={update.published_at} />
          {` · ${percent === 0 ? t('updates.stopped') : t('updates.percent', { percent })}`}
          {` · ${t(manifest ? 'updates.signed' : 'updates.notSigned')}`}
        </p>
        {missing > 0 && <p className="hint hint-error">{t('updates.missing', { count: missing })}</p>}
      </div>
      {mayChange && (
        <div className="record-item-actions">
          <ActionButton onPress={() => setDialog('rollout')}>{t('updates.rollout')}</ActionButton>
          <ActionButton onPress={() => setDialog('withdraw')}>{t('updates.withdraw')}</ActionButton>
        </div>
      )}
      {dialog === 'rollout' && <RolloutDialog update={update} onClose={close} />}
      {dialog === 'withdraw' && <WithdrawUpdateDialog version={version} before={before} onClose={close} />}
    </li>
  );
}
