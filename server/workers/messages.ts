/** The messages between the primary process and its workers, which run the same version of the server. */
import type { ProcessMetrics } from '../metrics/metrics.service.ts';
import type { WindowCount } from '../rate-limits/rate-counter.ts';

/** One request to count: its key and its limit. */
export type CountRequest = readonly [key: string, limit: number];

export type WorkerMessage =
  /** `firstAdminUrl` as in `ServerProcess`, sent by the first worker only. */
  | { readonly kind: 'listening'; readonly address: string; readonly firstAdminUrl?: string | undefined }
  | { readonly kind: 'cannot start'; readonly reason: string }
  /** The response to `ping`. */
  | { readonly kind: 'pong' }
  /** All requests that arrived in one turn of the worker's event loop. The response has the same number. */
  | { readonly kind: 'count'; readonly number: number; readonly requests: readonly CountRequest[] }
  /** Asks for the metrics of all workers. */
  | { readonly kind: 'gather metrics'; readonly number: number }
  /** The metrics of this worker. */
  | { readonly kind: 'metrics'; readonly number: number; readonly metrics: ProcessMetrics };

export type PrimaryMessage =
  | { readonly kind: 'stop' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'counted'; readonly number: number; readonly windows: readonly WindowCount[] }
  /** Asks a worker for its metrics. */
  | { readonly kind: 'report metrics'; readonly number: number }
  | { readonly kind: 'gathered metrics'; readonly number: number; readonly metrics: readonly ProcessMetrics[] };
