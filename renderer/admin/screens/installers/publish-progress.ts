/** Progress and speed shown while files are hashed and sent. */
import type { InstallerPlatform } from '../../../../shared/api/installer.ts';
import type { InstallerSources } from './installer-source.ts';
import type { PublishStep, StepProgress } from './publish-installers.ts';
import { createTransferRate } from './transfer-rate.ts';

export type PublishProgress = {
  readonly step: PublishStep;
  readonly platform: InstallerPlatform;
  readonly fileName: string;
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly bytesPerSecond: number;
};

/** Numbers that change faster than this cannot be read. */
const showEveryMs = 200;

/**
 * Returns a function that forwards the start and end of each step, and updates in between a few times a second; `null`
 * after the last file.
 */
export function createProgress(
  sources: InstallerSources,
  show: (progress: PublishProgress | null) => void,
): (progress: StepProgress | null) => void {
  let current = '';
  let shownAtMs = 0;
  let rate = createTransferRate(0);
  return (progress) => {
    const source = progress === null ? undefined : sources[progress.platform];
    if (progress === null || source?.kind !== 'file') return show(null);
    const nowMs = performance.now();
    const { step, platform, doneBytes } = progress;
    const { name: fileName, size: totalBytes } = source.file;
    const isNew = `${step} ${platform}` !== current;
    if (isNew) rate = createTransferRate(nowMs);
    current = `${step} ${platform}`;
    const bytesPerSecond = rate(doneBytes, nowMs);
    if (!isNew && doneBytes < totalBytes && nowMs - shownAtMs < showEveryMs) return;
    shownAtMs = nowMs;
    show({ step, platform, fileName, doneBytes, totalBytes, bytesPerSecond });
  };
}
