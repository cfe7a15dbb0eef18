/** The state header, always there: one true sentence, and the button that helps. */
import { RefreshCw } from 'lucide-react';
import { bridge } from '../bridge.ts';
import { ActButton } from '../components/ActButton.tsx';
import { ToneIcon } from '../components/ToneIcon.tsx';
import { failureSentence } from '../i18n/failure-sentence.ts';
import { licenseSentence } from '../i18n/license-sentence.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { holdsReleasedKey, notify, useApp } from '../store.ts';
import { useAct } from '../use-act.ts';
import { useDelayed } from '../use-delayed.ts';
import { useNow } from '../use-now.ts';
import { LastContact } from './LastContact.tsx';
import { RemedyButton } from './RemedyButton.tsx';

export function StateHeader() {
  const { t, locale } = useSentences();
  const now = useNow();
  const license = useApp((app) => app.license);
  const slow = useDelayed(useApp((app) => app.syncing));
  const holdsKey = useApp(holdsReleasedKey);
  const plansPage = useApp((app) => app.app.links.includes('plans'));
  const sentence = licenseSentence(license, { t, locale, now, holdsKey, plansPage });
  return (
    <header className={`state-header state-${sentence.tone}`}>
      <div className="state" role="status" aria-label={t('license.label')}>
        <span className="state-badge">
          <ToneIcon tone={sentence.tone} />
        </span>
        <p className="state-words">
          <strong>{license.kind === 'unknown' && slow ? t('license.checking') : sentence.headline}</strong>{' '}
          <span>{sentence.detail}</span>
        </p>
        <div className="state-acts">
          <LastContact />
          {sentence.remedy !== null && <RemedyButton remedy={sentence.remedy} />}
          <CheckNow />
        </div>
      </div>
    </header>
  );
}

function CheckNow() {
  const { t } = useSentences();
  const checking = useApp((app) => app.syncing);
  const { pending, run } = useAct();
  const check = () =>
    run(async () => {
      const result = await bridge.syncNow();
      if (!result.ok) notify(failureSentence(result.failure, t).what, 'blocked');
      return result;
    });
  return (
    <ActButton className="check-now" icon={RefreshCw} pending={checking || pending} onPress={() => void check()}>
      {t('license.checkNow')}
    </ActButton>
  );
}
