/** A key of which only the beginning is known, and how to replace it. */
import { useState } from 'react';
import type { ApiKeyState } from '../../../shared/ipc/app-state.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Ago } from '../../components/Ago.tsx';
import { Fact, Facts } from '../../components/Facts.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { ReplaceQuestion } from './ReplaceQuestion.tsx';

type Props = { readonly apiKey: ApiKeyState; readonly canReplace: boolean };

export function KnownKey({ apiKey, canReplace }: Props) {
  const { t } = useSentences();
  const [asking, setAsking] = useState(false);
  return (
    <Panel
      title={t('apiKey.known')}
      aside={canReplace && <ActButton onPress={() => setAsking(true)}>{t('apiKey.replaceKey')}</ActButton>}
    >
      <Facts>
        <Fact name={t('apiKey.masked')}>
          <span className="mono">{apiKey.prefix}••••••••</span>
        </Fact>
        <Fact name={t('apiKey.created')}>
          <Ago at={apiKey.createdAt} />
        </Fact>
      </Facts>
      <p className="hint panel-more">{apiKey.isLegacy ? t('apiKey.legacy') : t('apiKey.howToText')}</p>
      {asking && <ReplaceQuestion prefix={apiKey.prefix} onClose={() => setAsking(false)} />}
    </Panel>
  );
}
