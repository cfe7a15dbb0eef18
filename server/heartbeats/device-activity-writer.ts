/** Writes device activity. What arrives during a write is collected into the next one. */
import type { ActivationService } from '../activations/activation.service.ts';
import { createBatchLoader } from '../batch-loader.ts';
import type { CommonDeps } from '../common-deps.ts';
import { isConstraintViolation } from '../database/database-errors.ts';
import { type ActiveDevice, recordDeviceActivity } from './device-activity.repository.ts';

type DeviceActivityWriterDeps = Pick<CommonDeps, 'database' | 'clock'> & {
  readonly activations: ActivationService;
};

/**
 * A device to record. If `isActivated`, its use, and that by several installations, is recorded on its activations too.
 */
type WrittenDevice = ActiveDevice & {
  readonly isActivated: boolean;
  readonly hasSeveralInstallations: boolean;
};

/** While PostgreSQL executes or syncs one write, others can be sent. */
const batchLimits = { maxBatchSize: 200, maxRunning: 3, maxWaiting: 5_000 };

export class DeviceActivityWriter {
  readonly #deps: DeviceActivityWriterDeps;
  /**
   * Records that the device is in use; resolves once that is on disk. Throws what `Database.write` throws, and a
   * constraint violation if the account was deleted.
   */
  readonly record = createBatchLoader<WrittenDevice, undefined>({
    run: (devices) => this.#write(devices),
    ...batchLimits,
  });

  constructor(deps: DeviceActivityWriterDeps) {
    this.#deps = deps;
  }

  async #write(devices: readonly WrittenDevice[]): Promise<readonly (Error | undefined)[]> {
    try {
      await this.#writeTogether(devices);
      return devices.map(() => undefined);
    } catch (error) {
      // A single account that was deleted in the meantime makes the whole write fail.
      if (devices.length === 1 || !isConstraintViolation(error)) throw error;
      const outcomes: (Error | undefined)[] = [];
      for (const device of devices)
        outcomes.push(...(await this.#write([device]).catch((failure: Error) => [failure])));
      return outcomes;
    }
  }

  async #writeTogether(devices: readonly WrittenDevice[]): Promise<void> {
    const { database, clock, activations } = this.#deps;
    const sorted = sortDevices(devices);
    const activated = sorted.filter(({ isActivated }) => isActivated);
    await database.write(async (transaction) => {
      await recordDeviceActivity(transaction, sorted, clock.now());
      if (activated.length > 0) await activations.markSeen(transaction, activated);
      const shared = activated.filter(({ hasSeveralInstallations }) => hasSeveralInstallations);
      if (shared.length > 0) await activations.markSeveralInstallations(transaction, shared);
    });
  }
}

/**
 * Removes duplicates and sorts the devices the same way in every process, so that concurrent writes cannot deadlock.
 */
function sortDevices(devices: readonly WrittenDevice[]): WrittenDevice[] {
  const byKey = new Map(
    devices.map((device) => [`${device.device_id} ${device.user_id} ${device.network} ${device.instance}`, device]),
  );
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, device]) => device);
}
