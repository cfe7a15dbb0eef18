/** The connection doctor: checks each step between this device and the server and says what to do. */
import { RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type DoctorReport, type DoctorStep, doctorFindings } from '../../shared/ipc/doctor.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { ToneIcon } from '../components/Banner.tsx';
import { CopyButton } from '../components/CopyButton.tsx';
import { WideDialog } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Skeleton } from '../components/Placeholders.tsx';
import { type Translate, useMessages } from '../i18n/messages.ts';
import { showDoctor, useApp, useStore } from '../store.ts';
import { useAction } from '../use-action.ts';

/** Also available before sign-in. */
export function ConnectionDoctor() {
  const open = useStore((store) => store.doctorOpen && store.app !== null);
  return open ? <DoctorDialog /> : null;
}

function DoctorDialog() {
  const { t } = useMessages();
  const address = useApp((app) => app.server.address);
  const { run, pending, failure } = useAction();
  const [report, setReport] = useState<DoctorReport | null>(null);
  const runDoctor = async () => {
    const result = await run(() => bridge.runDoctor());
    if (result !== null) setReport(result.value);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => void runDoctor(), []);
  return (
    <WideDialog title={t('doctor.title')} onClose={() => showDoctor(false)}>
      <p className="dialog-text">{address === null ? t('doctor.introWithout') : t('doctor.intro', { address })}</p>
      {failure !== null && <FailureAlert failure={failure} />}
      <div aria-live="polite" aria-busy={pending}>
        {report === null && failure === null && <Skeleton lines={10} />}
        {report !== null && (
          <ol className="steps" aria-label={t('doctor.title')}>
            {report.steps.map((step) => (
              <StepItem key={step.step} step={step} />
            ))}
          </ol>
        )}
      </div>
      <div className="dialog-actions">
        <CopyButton text={report === null ? null : doctorText(report, t)} />
        <ActionButton variant="primary" icon={RefreshCw} pending={pending} onPress={() => void runDoctor()}>
          {t('doctor.again')}
        </ActionButton>
      </div>
    </WideDialog>
  );
}

const tones = { pass: 'good', fail: 'blocked', unknown: 'unknown' } as const;

function StepItem({ step: { step, finding, detail } }: { readonly step: DoctorStep }) {
  const { t } = useMessages();
  const result = doctorFindings[finding];
  return (
    <li className="step">
      <ToneIcon tone={tones[result]} />{' '}
      <div className="step-text">
        <p>{t(`doctor.step.${step}`)}</p>{' '}
        <p className="hint">
          {t(`doctor.finding.${finding}`)} {detail !== null && <span className="mono wrap-anywhere">{detail}</span>}
        </p>
      </div>{' '}
      <span className={result === 'unknown' ? 'badge' : `badge badge-${tones[result]}`}>
        {t(`doctor.result.${result}`)}
      </span>
    </li>
  );
}

/** The report as text for support: address, time, then a line for each step. */
function doctorText({ at, serverAddress, steps }: DoctorReport, t: Translate): string {
  const lines = steps.map(({ step, finding, detail }) => {
    const result = t(`doctor.result.${doctorFindings[finding]}`);
    const fact = detail === null ? '' : ` (${detail})`;
    return `${t(`doctor.step.${step}`)}: ${result}. ${t(`doctor.finding.${finding}`)}${fact}`;
  });
  return [serverAddress ?? t('doctor.introWithout'), at, ...lines].join('\n');
}
