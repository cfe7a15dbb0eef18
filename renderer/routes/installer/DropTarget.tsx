/** Takes one file that is dropped on it; the button inside is the way without a pointer. */
import { FileDown } from 'lucide-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import { useSentences } from '../../i18n/use-sentences.ts';
import { notify } from '../../store.ts';

type Props = {
  readonly disabled: boolean;
  readonly onFile: (file: File) => void;
  readonly children: ReactNode;
};

export function DropTarget({ disabled, onFile, children }: Props) {
  const { t } = useSentences();
  const [over, setOver] = useState(false);
  const take = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file, ...others] = event.dataTransfer.files;
    if (disabled) return;
    if (file === undefined || others.length > 0) notify(t('installer.oneFile'), 'blocked');
    else onFile(file);
  };
  return (
    <section
      className={over ? 'drop drop-over' : 'drop'}
      aria-label={t('installer.drop')}
      onDragEnter={() => setOver(!disabled)}
      onDragOver={(event) => event.preventDefault()}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={take}
    >
      <FileDown className="icon drop-icon" aria-hidden />
      <p className="drop-title">{over ? t('installer.dropNow') : t('installer.drop')}</p>
      <p className="hint">{t('installer.dropHint')}</p>
      {children}
    </section>
  );
}
