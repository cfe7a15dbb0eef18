/** Short results at the window's foot, read aloud, gone after a few seconds unless pointed at. */
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { useSentences } from '../i18n/use-sentences.ts';
import { dismissNotice, type Notice, useStore } from '../store.ts';
import { ToneIcon } from './ToneIcon.tsx';

export function Notices() {
  const notices = useStore((store) => store.notices);
  return (
    <div className="notices" aria-live="polite">
      {notices.map((notice) => (
        <OneNotice key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function OneNotice({ notice }: { readonly notice: Notice }) {
  const { t } = useSentences();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = window.setTimeout(() => dismissNotice(notice.id), 6000);
    return () => window.clearTimeout(timer);
  }, [held, notice.id]);
  return (
    <div className="notice" onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)}>
      <ToneIcon tone={notice.tone} />
      <span className="wrap-anywhere">{notice.text}</span>
      <Button
        className="button button-quiet button-icon"
        aria-label={t('common.close')}
        onPress={() => dismissNotice(notice.id)}
      >
        <X className="icon" aria-hidden />
      </Button>
    </div>
  );
}
