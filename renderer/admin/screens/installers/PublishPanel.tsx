/** The form that publishes a version: version, a file or hash per platform, and progress. */
import { useQueryClient } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { type FormEvent, useId, useRef, useState } from 'react';
import type { InstallerHashes } from '../../../../shared/api/installer.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Field } from '../../../components/Field.tsx';
import { Panel } from '../../../components/Page.tsx';
import { showToast } from '../../../components/toast-store.ts';
import { useMessages } from '../../i18n/messages.ts';
import { findProblem, type InstallerSource, platforms } from './installer-source.ts';
import { PlatformSource } from './PlatformSource.tsx';
import { PublishStatus } from './PublishStatus.tsx';
import { setVersion, startPublishing, usePublishing } from './publish-store.ts';

/** The server's limit. */
const maxVersionLength = 100;

export function PublishPanel({ published }: { readonly published: InstallerHashes | null }) {
  const { t } = useMessages();
  const queries = useQueryClient();
  const { version, sources, job } = usePublishing();
  const [tried, setTried] = useState(false);
  const headingRef = useRef<HTMLHeadingElement>(null);
  const effectId = useId();
  const isRunning = job.kind === 'running';
  const label = version.trim();
  const given = Object.values(sources).filter((source): source is InstallerSource => source !== undefined);
  const isLabelGood = label !== '' && label.length <= maxVersionLength;
  const publish = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isLabelGood || given.length === 0 || given.some((source) => findProblem(source) !== null)) return;
    const isPublished = await startPublishing();
    if (!isPublished) return;
    setTried(false);
    showToast(t('installers.published', { version: label }));
    void queries.invalidateQueries();
    headingRef.current?.focus();
  };
  return (
    <Panel title={t('installers.publishTitle')} headingRef={headingRef}>
      <form className="publish" onSubmit={(event) => void publish(event)} noValidate>
        <fieldset className="field-group publish-fields" disabled={isRunning}>
          <Field
            label={t('installers.version')}
            hint={t('installers.versionHint')}
            autoComplete="off"
            value={version}
            onChange={setVersion}
            error={
              tried && !isLabelGood ? t(label === '' ? 'installers.versionMissing' : 'installers.versionLong') : null
            }
          />
          <div className="publish-platforms">
            {platforms.map((platform) => (
              <PlatformSource key={platform} platform={platform} tried={tried} disabled={isRunning} />
            ))}
          </div>
        </fieldset>
        {tried && given.length === 0 && (
          <p className="hint hint-error" role="alert">
            {t('installers.sourceMissing')}
          </p>
        )}
        <PublishStatus onCanceled={() => headingRef.current?.focus()} />
        <div className="publish-foot">
          <p id={effectId} className="hint wrap-anywhere">
            {published !== null && label !== '' && given.length > 0 && <Effect published={published} label={label} />}
          </p>
          <ActionButton type="submit" variant="primary" icon={Upload} pending={isRunning} describedBy={effectId}>
            {t('installers.publish')}
          </ActionButton>
        </div>
      </form>
    </Panel>
  );
}

type EffectProps = { readonly published: InstallerHashes; readonly label: string };

/** Describes what happens to the currently published hashes. */
function Effect({ published, label }: EffectProps) {
  const { t, locale } = useMessages();
  const { sources } = usePublishing();
  if (published.version === label) return t('installers.addsTo', { version: label });
  const without = platforms.filter((platform) => published.hashes[platform] && sources[platform] === undefined);
  const names = new Intl.ListFormat(locale).format(without.map((platform) => t(`installerPlatform.${platform}`)));
  const text = t('installers.replaces', { version: published.version });
  return without.length === 0 ? text : `${text} ${t('installers.leavesOut', { platforms: names })}`;
}
