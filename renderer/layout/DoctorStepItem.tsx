/** A step of the connection doctor: its finding, duration and remedy. */
import { CircleDashed, LoaderCircle } from 'lucide-react';
import type { DoctorOutcome, DoctorRemedy, DoctorStep, DoctorStepName } from '../../shared/ipc/doctor.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { type Tone, ToneIcon } from '../components/Banner.tsx';
import { doctorDetail, doctorDuration, doctorFinding } from '../i18n/doctor-message.ts';
import { useMessages } from '../i18n/messages.ts';
import { useOpenPlans } from '../open-plans.ts';
import { goTo, type Route } from '../routing.ts';
import { askSetting, showDoctor, showSignIn, useApp } from '../store.ts';

type DoctorStepItemProps = {
  readonly name: DoctorStepName;
  /** `null` until the step was checked. */
  readonly step: DoctorStep | null;
  readonly isRunning: boolean;
};

const tones: Readonly<Record<DoctorOutcome, Tone>> = {
  pass: 'good',
  fail: 'blocked',
  unknown: 'unknown',
  skipped: 'unknown',
};

export function DoctorStepItem({ name, step, isRunning }: DoctorStepItemProps) {
  const { t, locale } = useMessages();
  const outcome = step?.outcome ?? (isRunning ? 'running' : 'waiting');
  const detail = step && doctorDetail(step, t, locale);
  const duration = step && doctorDuration(step, t, locale);
  const isQuiet = step === null || step.outcome === 'skipped';
  return (
    <li className={isQuiet && !isRunning ? 'step doctor-step doctor-step-quiet' : 'step doctor-step'}>
      {step !== null && step.outcome !== 'skipped' ? (
        <ToneIcon tone={tones[step.outcome]} />
      ) : isRunning ? (
        <LoaderCircle className="icon tone-icon spin" aria-hidden />
      ) : (
        <CircleDashed className="icon tone-icon tone-unknown" aria-hidden />
      )}{' '}
      <p className="doctor-step-name">{t(`doctor.step.${name}`)}</p>{' '}
      <span className="doctor-step-result">
        {duration !== null && <span className="doctor-time">{duration}</span>}{' '}
        <span className={outcome === 'pass' || outcome === 'fail' ? `badge badge-${tones[outcome]}` : 'badge'}>
          {t(`doctor.result.${outcome}`)}
        </span>
      </span>{' '}
      {step !== null && step.finding !== 'skipped' && (
        <div className="doctor-step-body">
          <p className="hint">{doctorFinding(step, t)}</p>{' '}
          {step.remedy !== null && <p className="doctor-remedy">{t(`doctor.remedy.${step.remedy}`)}</p>}{' '}
          {detail !== null && <p className="hint mono wrap-anywhere">{detail}</p>}{' '}
          {step.remedy !== null && <RemedyButton remedy={step.remedy} />}
        </div>
      )}
    </li>
  );
}

const routes: Partial<Record<DoctorRemedy, Route>> = {
  'change-address': 'settings',
  'check-address': 'settings',
  'sign-in-to-network': 'settings',
  'enter-key': 'devices',
  'enter-another-key': 'devices',
  'contact-issuer': 'devices',
  activate: 'devices',
  'release-device': 'devices',
};

/** Renders nothing for a remedy outside the app; the user can then only choose "Check again". */
function RemedyButton({ remedy }: { readonly remedy: DoctorRemedy }) {
  const { t } = useMessages();
  const openPlans = useOpenPlans();
  const hasPlansPage = useApp((app) => app.app.links.includes('plans'));
  if (remedy === 'renew-subscription') {
    return hasPlansPage ? <ActionButton onPress={openPlans}>{t('license.seePlans')}</ActionButton> : null;
  }
  if (remedy === 'sign-in') {
    const openSignIn = () => {
      showDoctor(false);
      showSignIn(true);
    };
    return <ActionButton onPress={openSignIn}>{t('credentials.signIn')}</ActionButton>;
  }
  const route = routes[remedy];
  if (route === undefined) return null;
  const open = () => {
    showDoctor(false);
    if (route === 'settings') askSetting('server');
    else goTo(route);
  };
  return (
    <ActionButton onPress={open}>
      {route === 'settings' ? t('license.changeServer') : t('doctor.openDevices')}
    </ActionButton>
  );
}
