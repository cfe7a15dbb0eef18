/** What support asks for: code, request id and time of a refusal, copied all at once. */
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import type { Failure } from '../../shared/ipc/result.ts';
import { copyText } from '../copy-text.ts';
import { exactTime } from '../i18n/times.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { ActButton } from './ActButton.tsx';

export function FailureDetails({ failure }: { readonly failure: Failure }) {
  const { t, locale } = useSentences();
  const [copied, setCopied] = useState(false);
  const rows: readonly (readonly [string, string])[] = [
    [t('common.code'), failure.code],
    ...(failure.requestId === undefined ? [] : [[t('common.requestId'), failure.requestId] as const]),
    [t('common.time'), exactTime(failure.at, locale)],
    [t('common.message'), failure.message],
  ];
  const copy = async () => {
    const words = rows.map(([name, value]) => `${name}: ${value}`).join('\n');
    setCopied(await copyText(`${words}\n${failure.at}`));
  };
  return (
    <div className="failure-details">
      <dl className="facts facts-small">
        {rows.map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt> <dd className="mono wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      <ActButton weight="quiet" icon={copied ? Check : Copy} onPress={() => void copy()}>
        {copied ? t('common.copied') : t('common.copyAll')}
      </ActButton>
    </div>
  );
}
