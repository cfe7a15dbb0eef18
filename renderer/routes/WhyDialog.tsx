/** Explains why a feature is on or off: each check, its source, and until when it holds. */
import type { DecisionStep } from '../../shared/ipc/decision.ts';
import { lastingProblem } from '../../shared/ipc/lasting-problem.ts';
import { bridge } from '../bridge.ts';
import { ToneIcon } from '../components/Banner.tsx';
import { WideDialog } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Skeleton } from '../components/Placeholders.tsx';
import { shortTime } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { explain, useApp } from '../store.ts';
import { useLoaded } from '../use-loaded.ts';
import { useNow } from '../use-timers.ts';
import { useFeatureText } from './FeaturesPanel.tsx';

export function WhyDialog({ feature }: { readonly feature: string }) {
  const { t } = useMessages();
  const { title } = useFeatureText(feature);
  // These inputs to the decision may change while the dialog is open.
  const features = useApp((app) => app.features);
  const lease = useApp((app) => app.lease);
  const { result } = useLoaded(() => bridge.explainFeatures(), [features, lease]);
  const failure = result?.ok === false ? result.failure : null;
  const decision = (result?.ok && result.value.find((each) => each.feature === feature)) || null;
  return (
    <WideDialog title={title} onClose={() => explain(null)}>
      {failure !== null && <FailureAlert failure={failure} />}
      <div aria-live="polite" className="stack">
        {decision === null && failure === null && <Skeleton lines={8} />}
        {decision !== null && (
          <>
            <p className="dialog-text">
              {t(decision.on ? 'why.on' : 'why.off', { check: t(`why.check.${decision.decided_by}`) })}
            </p>
            <ol className="steps" aria-label={t('why.list')}>
              {decision.chain.map((step) => (
                <StepItem key={step.check} step={step} isDecisive={step.check === decision.decided_by} />
              ))}
            </ol>
          </>
        )}
      </div>
    </WideDialog>
  );
}

const tones = { pass: 'good', fail: 'blocked', unknown: 'unknown' } as const;

function StepItem({ step, isDecisive }: { readonly step: DecisionStep; readonly isDecisive: boolean }) {
  const { t, locale } = useMessages();
  const now = useNow();
  const { check, source, result, at, until } = step;
  const problem = lastingProblem(useApp((app) => app.lease.problem));
  return (
    <li className={isDecisive ? 'step step-decisive' : 'step'}>
      <ToneIcon tone={tones[result]} />{' '}
      <div className="step-text">
        <p>{t(`why.check.${check}`)}</p>{' '}
        <p className="hint">
          {t(`why.source.${source}`)}
          {at !== null && ` · ${t('why.at', { at: shortTime(at, now, locale) })}`}
          {until !== null && ` · ${t('why.until', { until: shortTime(until, now, locale) })}`}
        </p>
        {check === 'lease' && result !== 'pass' && problem !== null && (
          <p className="hint">{t(`license.leaseProblem.${problem}.what`)}</p>
        )}
      </div>{' '}
      <span className={result === 'unknown' ? 'badge' : `badge badge-${tones[result]}`}>
        {t(`why.result.${result}`)}
      </span>
    </li>
  );
}
