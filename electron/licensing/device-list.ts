/** The devices of the account, where the server lists them, and the release of one. */
import type { Activation } from '../../shared/api/license.ts';
import type { Capability, Device, Loaded } from '../../shared/ipc/app-state.ts';
import { type Done, fail, succeed } from '../../shared/ipc/result.ts';
import { isEndOfSession } from './failure.ts';
import type { Session } from './session.ts';

export type DeviceList = {
  readonly devices: () => Loaded<readonly Device[]>;
  /** Whether the server lists devices at all. */
  readonly capability: () => Capability;
  /** Loads anew; what was known stays where that fails. */
  readonly load: () => Promise<Done>;
  /** Frees a slot; an activation that is gone already counts as released. */
  readonly release: (activationId: string) => Promise<Done>;
  /** Forgets the devices of the account that has signed out. */
  readonly forget: () => void;
  /** Another server: nothing is known of it. */
  readonly forgetServer: () => void;
};

const nothingLoaded: Loaded<readonly Device[]> = { value: null, loading: false, failure: null };

export type DeviceListParts = {
  readonly session: Session;
  readonly deviceId: () => string | null;
  readonly onChange: () => void;
};

/** A list that was not loaded yet. */
export function createDeviceList({ session, deviceId, onChange }: DeviceListParts): DeviceList {
  let devices = nothingLoaded;
  let capability: Capability = 'unknown';

  function show(next: Loaded<readonly Device[]>): void {
    devices = next;
    onChange();
  }

  async function load(): Promise<Done> {
    show({ ...devices, loading: true });
    const outcome = await session.call('listActivations');
    switch (outcome.kind) {
      case 'answer':
        capability = 'available';
        show({
          value: outcome.answer.activations.map((activation) => asDevice(activation, deviceId())),
          loading: false,
          failure: null,
        });
        return succeed(null);
      case 'missing':
        capability = 'missing';
        show(nothingLoaded);
        return fail(outcome.failure);
      case 'refused':
      case 'inconclusive':
        show({ ...devices, loading: false, failure: isEndOfSession(outcome.failure) ? null : outcome.failure });
        return fail(outcome.failure);
    }
  }

  async function release(activationId: string): Promise<Done> {
    const outcome = await session.call('releaseActivation', { params: { activation_id: activationId } });
    switch (outcome.kind) {
      case 'answer':
        return succeed(null);
      case 'refused':
        return outcome.failure.code === 'NOT_FOUND' ? succeed(null) : fail(outcome.failure);
      case 'missing':
      case 'inconclusive':
        return fail(outcome.failure);
    }
  }

  return {
    devices: () => devices,
    capability: () => capability,
    load,
    release,
    forget: () => show(nothingLoaded),
    forgetServer: () => {
      capability = 'unknown';
      show(nothingLoaded);
    },
  };
}

function asDevice(activation: Activation, ownDeviceId: string | null): Device {
  return {
    activationId: activation.activation_id,
    keyPreview: activation.key_preview,
    deviceId: activation.device_id,
    name: activation.device_name,
    platform: activation.platform,
    activatedAt: activation.activated_at,
    lastSeenAt: activation.last_seen_at,
    activity: activation.activity,
    isThisDevice: activation.device_id === ownDeviceId,
  };
}
