/** What is left to do on a new device, one step after the other. */
import { Check } from 'lucide-react';
import { ActButton } from '../../components/ActButton.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { goTo } from '../../routing.ts';
import { useApp } from '../../store.ts';

export function FirstSteps() {
  const { t } = useSentences();
  const session = useApp((app) => app.session);
  const verified = useApp((app) => app.installer.kind === 'genuine');
  if (session.kind !== 'signed-in') return null;
  const { email, full_name } = session.user;
  return (
    <Panel title={t('overview.welcome', { name: full_name.trim() || email })} className="panel-accent">
      <p className="panel-intro">{t('overview.firstSteps')}</p>
      <ol className="steps">
        <li className="step step-done">
          <span className="step-mark">
            <Check className="icon icon-small" aria-hidden />
          </span>{' '}
          <div className="step-words">
            <p>{t('overview.stepAccount')}</p>{' '}
            <p className="hint wrap-anywhere">{t('overview.stepAccountDone', { email })}</p>
          </div>
        </li>
        <li className="step">
          <span className="step-mark tabular">2</span>{' '}
          <div className="step-words">
            <p>{t('overview.stepActivate')}</p> <p className="hint">{t('overview.stepActivateHint')}</p>
          </div>{' '}
          <ActButton weight="primary" onPress={() => goTo('devices')}>
            {t('overview.start')}
          </ActButton>
        </li>
        <li className={verified ? 'step step-done' : 'step'}>
          <span className="step-mark tabular">{verified ? <Check className="icon icon-small" aria-hidden /> : 3}</span>{' '}
          <div className="step-words">
            <p>{t('overview.stepVerify')}</p> <p className="hint">{t('overview.stepVerifyHint')}</p>
          </div>{' '}
          {!verified && <ActButton onPress={() => goTo('installer')}>{t('overview.installerLink')}</ActButton>}
        </li>
      </ol>
    </Panel>
  );
}
