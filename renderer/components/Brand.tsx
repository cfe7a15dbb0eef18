/** The logo, with and without the name. */
import { useSharedMessages } from '../i18n/shared-messages.ts';

export function BrandMark() {
  return (
    <svg className="brand-mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d="M12 1.5 22.5 12 12 22.5 1.5 12Z" className="brand-body" />
      <circle cx="12" cy="10.2" r="2.4" className="brand-hole" />
      <path d="M10.9 11.5h2.2l.7 5h-3.6Z" className="brand-hole" />
    </svg>
  );
}

export function Brand() {
  const { t } = useSharedMessages();
  return (
    <div className="brand">
      <BrandMark />
      <span className="brand-name">{t('name')}</span>
    </div>
  );
}
