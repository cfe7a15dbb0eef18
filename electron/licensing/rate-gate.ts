/** Remembers which buckets the server asked to leave alone, so that no call is sent before its time. */
import type { Endpoint, EndpointName } from '../../shared/api/endpoints.ts';
import type { Clock } from './platform.ts';

export type RateGate = {
  /** Milliseconds until the bucket may be asked again; 0 where it may be now. */
  readonly remainingMs: (bucket: string) => number;
  readonly close: (bucket: string, waitSeconds: number) => void;
  /** Another server, another count. */
  readonly clear: () => void;
};

/** A gate over monotonic time: a changed wall clock neither opens nor locks it. */
export function createRateGate(clock: Clock): RateGate {
  const opensAtMs = new Map<string, number>();
  return {
    remainingMs: (bucket) => Math.max(0, (opensAtMs.get(bucket) ?? 0) - clock.monotonic()),
    close: (bucket, waitSeconds) => void opensAtMs.set(bucket, clock.monotonic() + waitSeconds * 1000),
    clear: () => opensAtMs.clear(),
  };
}

/** What an endpoint is counted against: its bucket, or itself (interface §8). */
export function bucketOf(name: EndpointName, endpoint: Endpoint): string {
  return endpoint.rate === 'default' ? `default:${name}` : endpoint.rate;
}
