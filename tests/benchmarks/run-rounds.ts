/** Measures all contenders in turn, round by round, so that other load on the machine affects all of them alike. */
import { type Contender, NotAvailable, type Sample, WrongResponse } from './measurement.ts';

export type Findings = {
  readonly samples: Map<string, Sample[]>;
  /** The wrong response by contender. */
  readonly failed: Map<string, string>;
  /** The reason by contender that could not be measured here. */
  readonly unavailable: Map<string, string>;
};

export async function runRounds(
  contenders: readonly Contender[],
  rounds: number,
  tell: (what: string) => void,
): Promise<Findings> {
  const findings: Findings = { samples: new Map(), failed: new Map(), unavailable: new Map() };
  for (let round = 0; round <= rounds; round++) {
    for (const contender of contenders) {
      const { name, rounds: most = rounds } = contender;
      const isDue = round <= most && !(round === 0 && most === 1);
      if (!isDue || findings.failed.has(name) || findings.unavailable.has(name)) continue;
      tell(`${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${name}`);
      await measureOnce(contender, round, findings);
    }
  }
  return findings;
}

async function measureOnce({ name, measure }: Contender, round: number, findings: Findings): Promise<void> {
  try {
    const sample = await measure(round);
    if (round > 0) findings.samples.set(name, [...(findings.samples.get(name) ?? []), sample]);
  } catch (error) {
    // Whatever else went wrong with one row, the others are still worth measuring.
    const reason = error instanceof NotAvailable ? error.message : String(error);
    if (error instanceof WrongResponse) findings.failed.set(name, error.message);
    else findings.unavailable.set(name, reason);
    findings.samples.delete(name);
  }
}
