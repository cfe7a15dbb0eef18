/** Takes a device's request file, chosen or dropped, and shows what is wrong with it. */
import { FileDown, FileSearch } from 'lucide-react';
import { useRef, useState } from 'react';
import type { LeaseRequestFile } from '../../../../shared/api/lease.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Banner } from '../../../components/Banner.tsx';
import { FileDropZone } from '../../../components/FileDropZone.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { type LeaseRequestProblem, readLeaseRequest } from './lease-request.ts';

type Refused = { readonly file: string; readonly problem: LeaseRequestProblem | 'severalFiles' };

export function LeaseRequestField({ onChoose }: { readonly onChoose: (request: LeaseRequestFile) => void }) {
  const { t } = useMessages();
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const take = async ([file, ...others]: readonly File[]) => {
    if (file === undefined) return;
    const read = others.length > 0 ? ({ problem: 'severalFiles' } as const) : await readLeaseRequest(file);
    if ('request' in read) onChoose(read.request);
    else setRefused({ file: file.name, problem: read.problem });
  };
  return (
    <>
      <FileDropZone
        label={t('lease.drop')}
        className="drop-small"
        disabled={false}
        onFiles={(files) => void take(files)}
      >
        {(isOver) => (
          <>
            <FileDown className="icon drop-icon" aria-hidden />
            <p className="drop-title">{isOver ? t('lease.dropNow') : t('lease.drop')}</p>
            <p className="hint">{t('lease.dropHint')}</p>
            <ActionButton icon={FileSearch} onPress={() => input.current?.click()}>
              {t('lease.choose')}
            </ActionButton>
            <input
              ref={input}
              type="file"
              hidden
              aria-label={t('lease.requestFile')}
              onChange={({ target }) => {
                const files = [...(target.files ?? [])];
                // Allows choosing the same file again after it was corrected.
                target.value = '';
                void take(files);
              }}
            />
          </>
        )}
      </FileDropZone>
      {refused !== null && (
        <Banner tone="blocked" role="alert" title={t('lease.refused', { file: refused.file })}>
          {t(`lease.wrong.${refused.problem}`)}
        </Banner>
      )}
    </>
  );
}
