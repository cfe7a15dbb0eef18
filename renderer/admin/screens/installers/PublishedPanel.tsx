/** The published version: when and by whom it was published, and the hash of each platform. */
import { Check, Copy } from 'lucide-react';
import { useId, useState } from 'react';
import type { InstallerHashes, InstallerPlatform } from '../../../../shared/api/installer.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { copyText } from '../../../components/CopyButton.tsx';
import { Panel } from '../../../components/Page.tsx';
import { TimedText } from '../../../components/Times.tsx';
import { useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { useMay } from '../../session/session-store.ts';
import { platforms } from './installer-source.ts';
import { WithdrawDialog } from './WithdrawDialog.tsx';

export function PublishedPanel({ installers }: { readonly installers: InstallerHashes }) {
  const { t } = useMessages();
  const mayWithdraw = useMay('clearInstallers');
  const [isWithdrawing, setIsWithdrawing] = useState(false);
  const actor = usePublisher(installers);
  return (
    <Panel
      title={t('installers.versionTitle', { version: installers.version })}
      className="wrap-anywhere"
      aside={
        mayWithdraw && <ActionButton onPress={() => setIsWithdrawing(true)}>{t('installers.withdraw')}</ActionButton>
      }
    >
      <p className="hint">
        <TimedText
          text={actor === null ? t('installers.publishedAt') : t('installers.publishedBy', { actor })}
          at={installers.updated_at}
        />
      </p>
      <ul className="record-list" aria-label={t('installers.hashes')}>
        {platforms.map((platform) => (
          <PublishedHash key={platform} platform={platform} hash={installers.hashes[platform] ?? null} />
        ))}
      </ul>
      {isWithdrawing && <WithdrawDialog version={installers.version} onClose={() => setIsWithdrawing(false)} />}
    </Panel>
  );
}

/** Returns the publisher from the audit log; `null` if the latest entry is not about this version or is gone. */
function usePublisher({ version }: InstallerHashes): string | null {
  const { data } = useRead('audit', { query: { action: 'installer.publish', limit: '1' } });
  const [entry] = data?.events ?? [];
  return entry?.target === `installer ${version}` ? entry.actor : null;
}

type PublishedHashProps = { readonly platform: InstallerPlatform; readonly hash: string | null };

function PublishedHash({ platform, hash }: PublishedHashProps) {
  const { t } = useMessages();
  const nameId = useId();
  const [copied, setCopied] = useState<{ readonly hash: string; readonly worked: boolean } | null>(null);
  const isCopied = copied?.hash === hash && copied?.worked;
  const copy = async (text: string) => setCopied({ hash: text, worked: await copyText(text) });
  return (
    <li className="record-item">
      <div className="record-item-text">
        <p id={nameId}>{t(`installerPlatform.${platform}`)}</p>{' '}
        <p className={hash === null ? 'hint' : 'hint mono'}>{hash ?? t('installers.notPublished')}</p>
      </div>
      {hash !== null && (
        <div className="record-item-actions">
          <span className="hint" aria-live="polite">
            {isCopied === true && t('common.copied')}
            {copied?.worked === false && t('secret.copyFailed')}
          </span>
          <ActionButton icon={isCopied ? Check : Copy} describedBy={nameId} onPress={() => void copy(hash)}>
            {t('secret.copy')}
          </ActionButton>
        </div>
      )}
    </li>
  );
}
