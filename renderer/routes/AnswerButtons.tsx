/** Buttons for importing the answer to a request file, as a file or as text. */
import { ClipboardPaste } from 'lucide-react';
import { ActionButton } from '../components/ActionButton.tsx';
import { ChooseFileButton } from '../components/ChooseFileButton.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { importLeaseFile, showLeaseImport } from '../open-request.ts';

export function AnswerButtons() {
  const { t } = useMessages();
  const importFile = async (file: File) => {
    if (!(await importLeaseFile(file))) showToast(t('offline.unreadable', { name: file.name }), 'blocked');
  };
  return (
    <div className="button-row">
      <ChooseFileButton accept=".lease" onFile={(file) => void importFile(file)}>
        {t('offline.importFile')}
      </ChooseFileButton>
      <ActionButton icon={ClipboardPaste} onPress={() => showLeaseImport({ kind: 'paste' })}>
        {t('offline.paste')}
      </ActionButton>
    </div>
  );
}
