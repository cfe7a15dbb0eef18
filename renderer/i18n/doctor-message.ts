/** Messages for the steps of the connection doctor, and its report as text. */
import type { DoctorReport, DoctorStep } from '../../shared/ipc/doctor.ts';
import { fullDay } from './format.ts';
import type { Translate } from './messages.ts';

export function doctorFinding(step: DoctorStep, t: Translate): string {
  const issuer = step.step === 'tls' ? step.detail?.issuer : null;
  const detail = step.step === 'tls' ? '' : (step.detail ?? '');
  if (step.finding === 'name-not-needed' && detail !== '') return t('doctor.proxyNameNotNeeded');
  return t(`doctor.finding.${step.finding}`, { detail, issuer: issuer ?? t('doctor.unknownIssuer') });
}

/** Returns additional details, e.g. the network error code; `null` if there are none. */
export function doctorDetail(step: DoctorStep, t: Translate, locale: string): string | null {
  if (step.step !== 'tls') return step.detail;
  if (step.detail === null) return null;
  const { issuer, expires_at, protocol, code } = step.detail;
  const parts = [
    issuer !== null && t('doctor.issuer', { issuer }),
    expires_at !== null && t('doctor.expires', { time: fullDay(expires_at, locale) }),
    protocol,
    code,
  ];
  return parts.filter(Boolean).join(' · ') || null;
}

/** Returns the duration, e.g. `12 ms`; `null` if nothing was measured. */
export function doctorDuration({ measured_ms: ms }: DoctorStep, t: Translate, locale: string): string | null {
  if (ms === null) return null;
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: ms < 10 ? 1 : 0 }).format(ms);
  return t('doctor.duration', { ms: number });
}

type TextContext = {
  readonly t: Translate;
  readonly locale: string;
  /** Names to mask, e.g. the device name. */
  readonly names: readonly string[];
};

/**
 * Returns the report as text for support: server, time, then a line per step. Each of the names is replaced by
 * `<name>`.
 */
export function doctorText({ at, server, steps }: DoctorReport, { t, locale, names }: TextContext): string {
  const lines = steps.map((step, index) => {
    const facts = [doctorDetail(step, t, locale), doctorDuration(step, t, locale)].filter((fact) => fact !== null);
    const about = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
    const remedy = step.remedy === null ? '' : ` ${t(`doctor.remedy.${step.remedy}`)}`;
    const result = `${t(`doctor.result.${step.outcome}`)}. ${doctorFinding(step, t)}${remedy}${about}`;
    return `${index + 1}. ${t(`doctor.step.${step.step}`)}: ${result}`;
  });
  const text = [server ?? t('doctor.introWithout'), at, ...lines].join('\n');
  return masked(text, names);
}

/** Replaces the names, except those of one or two characters, which would mask parts of words. */
function masked(text: string, names: readonly string[]): string {
  const found = names.filter((name) => name.length > 2);
  const pattern = found.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  return pattern === '' ? text : text.replace(new RegExp(pattern, 'gi'), '<name>');
}
