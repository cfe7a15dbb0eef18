/** Toasts at the bottom of the window: read aloud, gone after six seconds unless the pointer is on them. */
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useMessages } from '../i18n/messages.ts';
import { dismissToast, type Toast, useStore } from '../store.ts';
import { IconButton } from './ActionButton.tsx';
import { ToneIcon } from './Banner.tsx';

export function Toasts() {
  const toasts = useStore((store) => store.toasts);
  return (
    <div className="toasts" aria-live="polite">
      {toasts.map((toast) => (
        <ToastItem key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastItem({ toast }: { readonly toast: Toast }) {
  const { t } = useMessages();
  const [hovered, setHovered] = useState(false);
  useEffect(() => {
    if (hovered) return;
    const timer = window.setTimeout(() => dismissToast(toast.id), 6000);
    return () => window.clearTimeout(timer);
  }, [hovered, toast.id]);
  return (
    <div className="toast" onPointerEnter={() => setHovered(true)} onPointerLeave={() => setHovered(false)}>
      <ToneIcon tone={toast.tone} />
      <span className="wrap-anywhere">{toast.text}</span>
      <IconButton icon={X} label={t('common.close')} onPress={() => dismissToast(toast.id)} />
    </div>
  );
}
