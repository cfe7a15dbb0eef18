/** Opens the connection doctor. */
import { Stethoscope } from 'lucide-react';
import { showDoctor } from '../store.ts';
import { useSentences } from '../text/use-sentences.ts';
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
