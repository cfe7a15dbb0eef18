/** A button that opens the connection doctor. */
import { Stethoscope } from 'lucide-react';
import { ActionButton } from '../components/ActionButton.tsx';
import { useMessages } from '../i18n/messages.ts';
import { showDoctor } from '../store.ts';

export function DoctorButton({ onPress }: { readonly onPress?: () => void }) {
  const { t } = useMessages();
  const open = () => {
    onPress?.();
    showDoctor(true);
  };
  return (
    <ActionButton icon={Stethoscope} onPress={open}>
      {t('doctor.title')}
    </ActionButton>
  );
}
