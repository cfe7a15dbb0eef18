/** The version being prepared or published, which continues while other screens are open. */
import { create } from 'zustand';
import type { InstallerPlatform } from '../../../../shared/api/installer.ts';
import type { Failure } from '../../../../shared/ipc/result.ts';
import type { InstallerSource, InstallerSources } from './installer-source.ts';
import { publishInstallers } from './publish-installers.ts';
import { createProgress, type PublishProgress } from './publish-progress.ts';

type PublishJob =
  | { readonly kind: 'idle' }
  /** `progress` is `null` while no file is being processed. */
  | { readonly kind: 'running'; readonly progress: PublishProgress | null }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly platform: InstallerPlatform | null };

type PublishState = { readonly version: string; readonly sources: InstallerSources; readonly job: PublishJob };

const empty: PublishState = { version: '', sources: {}, job: { kind: 'idle' } };

export const usePublishing = create<PublishState>()(() => empty);

let running: AbortController | null = null;

export function setVersion(version: string): void {
  usePublishing.setState({ version });
}

/** Adds or replaces sources; `undefined` removes one. */
export function setSources(changes: Readonly<Partial<Record<InstallerPlatform, InstallerSource | undefined>>>): void {
  usePublishing.setState(({ sources, job }) => ({
    sources: { ...sources, ...changes },
    job: job.kind === 'running' ? job : { kind: 'idle' },
  }));
}

/** Publishes the version. Resolves to whether it was published; if so, the form is cleared. */
export async function startPublishing(): Promise<boolean> {
  if (running !== null) return false;
  const { version, sources } = usePublishing.getState();
  const controller = new AbortController();
  running = controller;
  usePublishing.setState({ job: { kind: 'running', progress: null } });
  window.addEventListener('beforeunload', askBeforeLeaving);
  const result = await publishInstallers(version, sources, {
    signal: controller.signal,
    onProgress: createProgress(sources, (progress) => {
      if (running === controller) usePublishing.setState({ job: { kind: 'running', progress } });
    }),
  });
  // Another user may have signed in meanwhile.
  if (running !== controller) return false;
  endRun();
  if (result.ok) usePublishing.setState(empty);
  else if (result.failure.code === 'CANCELED') usePublishing.setState({ job: { kind: 'canceled' } });
  else
    usePublishing.setState(({ job }) => ({
      job: { kind: 'failed', failure: result.failure, platform: platformOf(job) },
    }));
  return result.ok;
}

export function cancelPublishing(): void {
  running?.abort();
}

/** Clears the form and cancels the current run. */
export function resetPublishing(): void {
  running?.abort();
  endRun();
  usePublishing.setState(empty);
}

function endRun(): void {
  running = null;
  window.removeEventListener('beforeunload', askBeforeLeaving);
}

function platformOf(job: PublishJob): InstallerPlatform | null {
  return job.kind === 'running' ? (job.progress?.platform ?? null) : null;
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
