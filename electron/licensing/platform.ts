/** The ports: all that the licensing client needs from a machine, each with how it may fail. */

/** Wall time for what people see and the server says; monotonic time for how long something takes. */
export type Clock = {
  /** Milliseconds since the epoch; may jump either way. */
  readonly now: () => number;
  /** Milliseconds from some start; never goes back. Sleep of the machine may or may not count. */
  readonly monotonic: () => number;
  /** Calls back once after at least that long; the returned function cancels. Never throws. */
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
};

export type Random = {
  /** A number in [0, 1), for jitter. */
  readonly fraction: () => number;
  /** Bytes fit for secrets. */
  readonly bytes: (count: number) => Uint8Array;
  /** A version 4 UUID. */
  readonly uuid: () => string;
};

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  readonly timeoutMs: number;
  /** An answer with a longer body is a failure of kind `too-large`. */
  readonly maxAnswerBytes: number;
  readonly signal?: AbortSignalLike;
};

/** What the client needs of an AbortSignal; the DOM's and Node's both fit. */
export type AbortSignalLike = {
  readonly aborted: boolean;
  readonly addEventListener: (type: 'abort', listener: () => void, options?: { once?: boolean }) => void;
  readonly removeEventListener: (type: 'abort', listener: () => void) => void;
};

export type HttpAnswer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Never rejects: no answer is a value as well. Redirects are not followed and arrive as their status. */
export type HttpOutcome =
  | { readonly ok: true; readonly answer: HttpAnswer }
  | {
      readonly ok: false;
      readonly reason: 'unreachable' | 'timeout' | 'too-large' | 'canceled';
      readonly message: string;
    };

export type Http = { readonly send: (request: HttpRequest) => Promise<HttpOutcome> };

/** A read that failed is not the same as nothing there. */
export type StoreRead =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly message: string };

/**
 * Small texts kept durably and encrypted: the session, the saved state. A write is there after a crash once its
 * promise is fulfilled; it rejects where the disk refuses. A file that cannot be read is kept aside, never overwritten.
 */
export type SecretStore = {
  readonly read: (name: string) => Promise<StoreRead>;
  readonly write: (name: string, value: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  /** How secrets are kept now. */
  readonly storage: () => 'keyring' | 'ask' | 'file' | 'memory';
  /** The person's answer where there is no keyring; with `false` what is kept already is removed. */
  readonly choose: (keep: boolean) => Promise<void>;
};

/** Small texts that are no secrets: settings, the random device id of a machine without an id of its own. */
export type PlainStore = {
  readonly read: (name: string) => Promise<StoreRead>;
  readonly write: (name: string, value: string) => Promise<void>;
};

export type Machine = {
  /** The machine's own id in the platform's shape, or `null` where it has none that can be trusted. */
  readonly readMachineId: () => Promise<string | null>;
  /** A name that its owner recognises, e.g. the host name. */
  readonly deviceName: string;
  /** E.g. `linux x64`. */
  readonly platform: string;
  readonly sha256: (bytes: Uint8Array) => Promise<Uint8Array>;
};

export type FileHashOutcome =
  | { readonly kind: 'hashed' /** 64 lower-case hex characters. */; readonly sha256: string; readonly bytes: number }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'canceled' };

export type Files = {
  /** Hashes a file of any size off the main loop's back; `onProgress` comes at most some ten times a second. */
  readonly hashFile: (
    path: string,
    options: { readonly signal: AbortSignalLike; readonly onProgress: (doneBytes: number, totalBytes: number) => void },
  ) => Promise<FileHashOutcome>;
  /** The installer that this installation came from, where it can be found (the AppImage, say). */
  readonly findOwnInstaller: () => Promise<string | null>;
};

export type Power = {
  /** Calls back when the machine wakes or the network comes back. */
  readonly onResume: (listener: () => void) => () => void;
};

export type Log = {
  /** Facts must hold no secret. */
  readonly info: (message: string, facts?: Readonly<Record<string, unknown>>) => void;
  readonly warn: (message: string, facts?: Readonly<Record<string, unknown>>) => void;
};

export type Platform = {
  readonly clock: Clock;
  readonly random: Random;
  readonly http: Http;
  readonly secrets: SecretStore;
  readonly plain: PlainStore;
  readonly machine: Machine;
  readonly files: Files;
  readonly power: Power;
  readonly log: Log;
};
