/** The report of the connection doctor as text, for whoever helps. */
import { type DoctorReport, doctorFindings } from '../../shared/ipc/doctor.ts';
import type { Translate } from './use-sentences.ts';

/** One line a step, with the address and the time above. */
export function doctorText({ at, serverAddress, steps }: DoctorReport, t: Translate): string {
  const lines = steps.map(({ step, finding, detail }) => {
    const verdict = t(`doctor.result.${doctorFindings[finding]}`);
    const fact = detail === null ? '' : ` (${detail})`;
    return `${t(`doctor.step.${step}`)}: ${verdict}. ${t(`doctor.finding.${finding}`)}${fact}`;
  });
  return [serverAddress, at, ...lines].join('\n');
}
