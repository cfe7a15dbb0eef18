/** The hint beneath the license key while it is typed. */
import type { LicenseKeyHint as Hint } from '../../i18n/license-key-hint.ts';
import { type Translate, useSentences } from '../../i18n/use-sentences.ts';

const tones: Readonly<Record<Hint['kind'], string>> = {
  empty: '',
  good: 'hint-good',
  incomplete: '',
  'too-long': 'hint-attention',
  'bad-character': 'hint-attention',
  slip: 'hint-attention',
  'other-shape': 'hint-attention',
};

export function LicenseKeyHint({ hint }: { readonly hint: Hint }) {
  const { t } = useSentences();
  return <span className={tones[hint.kind]}>{hintWords(hint, t)}</span>;
}

function hintWords(hint: Hint, t: Translate): string {
  switch (hint.kind) {
    case 'empty':
      return t('devices.licenseKeyHint');
    case 'good':
      return t('devices.keyLooksRight');
    case 'incomplete':
      return t('devices.keyIncomplete', { count: hint.missing });
    case 'too-long':
      return t('devices.keyTooLong');
    case 'bad-character':
      return t('devices.keyBadCharacter', { character: hint.character });
    case 'slip':
      return t('devices.keyMistyped');
    case 'other-shape':
      return t('devices.keyOtherShape');
  }
}
