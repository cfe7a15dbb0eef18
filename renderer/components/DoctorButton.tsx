/** Opens the connection doctor. */
import { Stethoscope } from 'lucide-react';
import { useSentences } from '../i18n/use-sentences.ts';
import { showDoctor } from '../store.ts';
import { ActButton } from './ActButton.tsx';

export function DoctorButton({ onPress }: { readonly onPress?: () => void }) {
  const { t } = useSentences();
  const open = () => {
    onPress?.();
    showDoctor(true);
  };
  return (
    <ActButton icon={Stethoscope} onPress={open}>
      {t('doctor.title')}
    </ActButton>
  );
}
