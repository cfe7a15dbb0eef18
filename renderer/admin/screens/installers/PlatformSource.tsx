/** Field for one platform's installer: drop or choose a file, or enter its hash. */
import { FileCheck, FileDown, X } from 'lucide-react';
import { useId, useRef } from 'react';
import type { InstallerPlatform } from '../../../../shared/api/installer.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Field } from '../../../components/Field.tsx';
import { FileDropZone } from '../../../components/FileDropZone.tsx';
import { showToast } from '../../../components/toast-store.ts';
import { byteCount } from '../../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { assignFiles, findProblem, maxInstallerBytes, platformOfFile } from './installer-source.ts';
import { setSources, usePublishing } from './publish-store.ts';

type PlatformSourceProps = {
  readonly platform: InstallerPlatform;
  /** Whether to show what is wrong with an entered hash. */
  readonly tried: boolean;
  readonly disabled: boolean;
};

export function PlatformSource({ platform, tried, disabled }: PlatformSourceProps) {
  const { t } = useMessages();
  const source = usePublishing(({ sources }) => sources[platform]);
  const name = t(`installerPlatform.${platform}`);
  const nameId = useId();
  const chooser = useRef<HTMLInputElement>(null);
  const add = (files: readonly File[]) => {
    const assigned = assignFiles(files, platform);
    if (assigned === null) showToast(t('installers.unclear'), 'blocked');
    else setSources(assigned);
  };
  return (
    <FileDropZone className="platform-source" label={name} disabled={disabled} onFiles={add}>
      {(isOver) => (
        <>
          <p id={nameId} className="drop-title">
            {name}
          </p>
          {source === undefined && (
            <p className="hint">
              <FileDown className="icon icon-small" aria-hidden />{' '}
              {isOver ? t('installers.dropNow') : t('installers.drop')}
            </p>
          )}
          {source?.kind === 'file' && <ChosenFile file={source.file} platform={platform} />}
          {source?.kind === 'hash' && <EnteredHash text={source.text} platform={platform} tried={tried} />}
          <div className="platform-source-actions">
            <input
              ref={chooser}
              type="file"
              hidden
              aria-label={name}
              onChange={({ target }) => {
                add([...(target.files ?? [])]);
                // Allows choosing the same file again.
                target.value = '';
              }}
            />
            <ActionButton describedBy={nameId} onPress={() => chooser.current?.click()}>
              {t('installers.choose')}
            </ActionButton>
            {source === undefined ? (
              <ActionButton
                variant="quiet"
                describedBy={nameId}
                onPress={() => setSources({ [platform]: { kind: 'hash', text: '' } })}
              >
                {t('installers.enterHash')}
              </ActionButton>
            ) : (
              <ActionButton
                variant="quiet"
                icon={X}
                describedBy={nameId}
                onPress={() => setSources({ [platform]: undefined })}
              >
                {t('installers.remove')}
              </ActionButton>
            )}
          </div>
        </>
      )}
    </FileDropZone>
  );
}

type ChosenFileProps = { readonly file: File; readonly platform: InstallerPlatform };

function ChosenFile({ file, platform }: ChosenFileProps) {
  const { t, locale } = useMessages();
  const problem = findProblem({ kind: 'file', file });
  const likely = platformOfFile(file.name);
  return (
    <div aria-live="polite">
      <p className="wrap-anywhere">
        <FileCheck className="icon icon-small" aria-hidden /> {file.name}
      </p>
      <p className="hint">{byteCount(file.size, locale)}</p>
      {problem === 'emptyFile' && <p className="hint hint-error">{t('installers.emptyFile')}</p>}
      {problem === 'tooLarge' && (
        <p className="hint hint-error">{t('installers.tooLarge', { size: byteCount(maxInstallerBytes(), locale) })}</p>
      )}
      {likely !== null && likely !== platform && (
        <p className="hint hint-attention">
          {t('installers.looksLike', { platform: t(`installerPlatform.${likely}`) })}
        </p>
      )}
    </div>
  );
}

type EnteredHashProps = { readonly text: string; readonly platform: InstallerPlatform; readonly tried: boolean };

function EnteredHash({ text, platform, tried }: EnteredHashProps) {
  const { t } = useMessages();
  const isWrong = tried && findProblem({ kind: 'hash', text }) !== null;
  return (
    <Field
      label={t('installers.hash')}
      hint={t('installers.hashHint')}
      mono
      autoComplete="off"
      value={text}
      onChange={(changed) => setSources({ [platform]: { kind: 'hash', text: changed } })}
      error={isWrong ? t('installers.hashError') : null}
    />
  );
}
