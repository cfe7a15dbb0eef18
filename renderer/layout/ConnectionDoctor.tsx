/** Says, step by step, what stands between this device and the server, and what to do about it. */
import { Check, Copy, RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type DoctorReport, type DoctorStep, doctorFindings } from '../../shared/ipc/doctor.ts';
import { bridge } from '../bridge.ts';
import { ActButton } from '../components/ActButton.tsx';
import { Sheet } from '../components/Dialogs.tsx';
import { FailureNotice } from '../components/FailureNotice.tsx';
import { Skeleton } from '../components/Skeleton.tsx';
import { ToneIcon } from '../components/ToneIcon.tsx';
import { copyText } from '../copy-text.ts';
import { doctorText } from '../i18n/doctor-words.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { showDoctor, useApp, useStore } from '../store.ts';
import { useAct } from '../use-act.ts';

/** Lies over sign-in as well as over the places. */
export function ConnectionDoctor() {
  const open = useStore((store) => store.doctorOpen && store.app !== null);
  return open ? <Examination /> : null;
}

function Examination() {
  const { t } = useSentences();
  const address = useApp((app) => app.server.address);
  const { run, pending, failure } = useAct();
  const [report, setReport] = useState<DoctorReport | null>(null);
  const [copied, setCopied] = useState(false);
  const examine = async () => {
    setCopied(false);
    const answer = await run(() => bridge.runDoctor());
    if (answer !== null) setReport(answer.value);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => void examine(), []);
  return (
    <Sheet title={t('doctor.title')} onClose={() => showDoctor(false)}>
      <p className="dialog-text">{t('doctor.intro', { address })}</p>
      {failure !== null && <FailureNotice failure={failure} />}
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
      <div className="dialog-acts">
        <ActButton
          weight="quiet"
          icon={copied ? Check : Copy}
          disabled={report === null}
          onPress={() => report !== null && void copyText(doctorText(report, t)).then(setCopied)}
        >
          {copied ? t('common.copied') : t('common.copyAll')}
        </ActButton>
        <ActButton weight="primary" icon={RefreshCw} pending={pending} onPress={() => void examine()}>
          {t('doctor.again')}
        </ActButton>
      </div>
    </Sheet>
  );
}

const tones = { pass: 'good', fail: 'blocked', unknown: 'unknown' } as const;

function StepItem({ step: { step, finding, detail } }: { readonly step: DoctorStep }) {
  const { t } = useSentences();
  const verdict = doctorFindings[finding];
  return (
    <li className="step">
      <ToneIcon tone={tones[verdict]} />{' '}
      <div className="step-words">
        <p>{t(`doctor.step.${step}`)}</p>{' '}
        <p className="hint">
          {t(`doctor.finding.${finding}`)} {detail !== null && <span className="mono wrap-anywhere">{detail}</span>}
        </p>
      </div>{' '}
      <span className={verdict === 'unknown' ? 'badge' : `badge badge-${tones[verdict]}`}>
        {t(`doctor.result.${verdict}`)}
      </span>
    </li>
  );
}
