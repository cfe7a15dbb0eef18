/** Releases a device; where it is this one, the license ends here at once and the key stays for another activation. */
import type { Done } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { DeviceList } from './device-list.ts';
import type { LicenseCheck } from './license-check.ts';
import type { SavedState } from './saved-state.ts';

export type ReleaseParts = {
  readonly devices: DeviceList;
  readonly saved: SavedState;
  readonly check: LicenseCheck;
  readonly activity: ActivityLog;
};

/** The act of releasing one activation. */
export function createRelease({ devices, saved, check, activity }: ReleaseParts) {
  return async function release(activationId: string): Promise<Done> {
    const device = devices.devices().value?.find((each) => each.activationId === activationId);
    const own = device?.isThisDevice || activationId === saved.facts().activationId;
    const done = await devices.release(activationId);
    if (!done.ok) return done;
    activity.add('device-released', device?.name ?? null);
    if (own) await endActivation();
    await devices.load();
    await check.status();
    return done;
  };

  async function endActivation(): Promise<void> {
    const answer = saved.facts().validation?.answer;
    if (answer?.valid) await check.saveVerdict({ ...answer, already_activated_on_device: false });
    await saved.update({ activationId: null });
  }
}
