/** The endpoint of heartbeats. */
import type { Contract } from '../http/contract-route.ts';
import type { HeartbeatService } from './heartbeat.service.ts';

export function addHeartbeatRoutes(contract: Contract, heartbeats: HeartbeatService): void {
  contract.add('heartbeat', ({ account, body, address }) => heartbeats.record(account.id, body.device_id, address));
}
