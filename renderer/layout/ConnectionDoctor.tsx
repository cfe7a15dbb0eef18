/** The connection doctor: shows the steps between this device and its license as they are checked, with remedies. */
import { RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type DoctorReport, doctorStepNames } from '../../shared/ipc/doctor.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { CopyButton } from '../components/CopyButton.tsx';
import { WideDialog } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { doctorFinding, doctorText } from '../i18n/doctor-message.ts';
import { type Translate, useMessages } from '../i18n/messages.ts';
import { showDoctor, useApp } from '../store.ts';
import { useAction } from '../use-action.ts';
import { DoctorStepItem } from './DoctorStepItem.tsx';

/** Rendered while it is open, even before sign-in. */
export function ConnectionDoctor() {
  const { t, locale } = useMessages();
  const address = useApp((app) => app.server.address);
  const deviceName = useApp((app) => app.thisDevice?.name);
  const session = useApp((app) => app.session);
  const { run, pending, failure } = useAction();
  const progress = useApp((app) => app.doctor);
  const [report, setReport] = useState<DoctorReport | null>(null);
  const runDoctor = async () => {
    setReport(null);
    const result = await run(() => bridge.runDoctor());
    setReport(result?.value ?? null);
  };
  const cancel = () => void bridge.cancelDoctor();
  const close = () => {
    if (pending) cancel();
    showDoctor(false);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when it opens
  useEffect(() => void runDoctor(), []);

  const user = session.kind === 'signed-in' ? session.user : null;
  const names = [deviceName, user?.email, user?.full_name].filter((name) => name !== undefined);
  // Ignores the last state of an earlier run.
  const running = pending ? (progress?.running ?? null) : null;
  const shown = running === null ? report : (progress?.report ?? null);
  const isCanceled = !pending && report === null && failure === null;
  return (
    <WideDialog title={t('doctor.title')} onClose={close}>
      <p className="dialog-text">{address === null ? t('doctor.introWithout') : t('doctor.intro', { address })}</p>
      {failure !== null && <FailureAlert failure={failure} />}
      <p className="doctor-summary" role="status">
        {running !== null && t('doctor.progress', progressValues(running, t))}
        {report !== null && <Summary report={report} />}
        {isCanceled && t('doctor.canceled')}
      </p>
      <ol className="steps" aria-label={t('doctor.title')} aria-busy={pending}>
        {doctorStepNames.map((name) => (
          <DoctorStepItem
            key={name}
            name={name}
            step={shown?.steps.find(({ step }) => step === name) ?? null}
            isRunning={running === name}
          />
        ))}
      </ol>
      <div className="dialog-actions">
        <CopyButton label={t('doctor.copy')} text={report && doctorText(report, { t, locale, names })} />
        {pending && <ActionButton onPress={cancel}>{t('common.cancel')}</ActionButton>}
        <ActionButton variant="primary" icon={RefreshCw} pending={pending} onPress={() => void runDoctor()}>
          {t('doctor.again')}
        </ActionButton>
      </div>
    </WideDialog>
  );
}

function progressValues(running: DoctorReport['steps'][number]['step'], t: Translate) {
  const number = doctorStepNames.indexOf(running) + 1;
  return { number, count: doctorStepNames.length, step: t(`doctor.step.${running}`) };
}

/** Names the first failed step, which is the one to fix; its finding is visible in the list. */
function Summary({ report: { steps } }: { readonly report: DoctorReport }) {
  const { t } = useMessages();
  const failed = steps.find(({ outcome }) => outcome === 'fail');
  if (failed) {
    return (
      <>
        {t('doctor.failed', { step: t(`doctor.step.${failed.step}`) })}{' '}
        <span className="visually-hidden">{doctorFinding(failed, t)}</span>
      </>
    );
  }
  const areUnknown = steps.some(({ outcome, finding }) => outcome === 'unknown' || finding === 'skipped');
  return areUnknown ? t('doctor.noneFailed') : t('doctor.allGood');
}
