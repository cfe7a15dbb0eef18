/** Toasts at the bottom of the page: read aloud, gone after six seconds unless the pointer is on them. */
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSharedMessages } from '../i18n/shared-messages.ts';

import { IconButton } from './ActionButton.tsx';
import { ToneIcon } from './Banner.tsx';
import { dismissToast, type Toast, useToasts } from './toast-store.ts';

export function Toasts() {
  const toasts = useToasts((store) => store.toasts);
  return (
    <div className="toasts" aria-live="polite">
      {toasts.map((toast) => (
        <ToastItem key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastItem({ toast }: { readonly toast: Toast }) {
  const { t } = useSharedMessages();
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
