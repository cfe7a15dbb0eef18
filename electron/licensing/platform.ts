/** The ports: everything that the licensing client needs from a machine, with how each may fail. */
import type { UpdateChannel } from '../../shared/api/update-feed.ts';
import type { FileProgress, InstallationKind } from '../../shared/ipc/updates.ts';
import type { SignatureVerifier } from '../../shared/jws.ts';
import type { UpdateManifestFile } from '../../shared/update-manifest.ts';

/** Wall time for what users see and the server says; monotonic time for durations. */
export type Clock = {
  /** Milliseconds since the epoch; may jump either way. */
  readonly now: () => number;
  /** Milliseconds from an arbitrary start; never goes back. Time asleep may or may not count. */
  readonly monotonic: () => number;
  /** `null` if the system does not say. Never throws. */
  readonly sinceBoot: () => BootTime | null;
  /** Calls back once after at least this delay; the returned function cancels. Never throws. */
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
};

/** Time since the machine was started, including sleep, independent of the wall clock. */
export type BootTime = {
  /** Id of this start; `null` if the system has none. */
  readonly id: string | null;
  readonly ms: number;
};

export type Random = {
  /** A number in [0, 1), for jitter. */
  readonly fraction: () => number;
  /** Cryptographically strong random bytes. */
  readonly bytes: (count: number) => Uint8Array;
  /** A version 4 UUID. */
  readonly uuid: () => string;
};

/** The part of `crypto.subtle` that the client uses. */
export type Subtle = SignatureVerifier<unknown> & {
  digest(algorithm: 'SHA-256', data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>;
};

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  readonly timeoutMs: number;
  /** A longer body fails with the reason `too-large`. */
  readonly maxResponseBytes: number;
  readonly signal?: AbortSignal;
};

export type HttpResponse = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A missing response is a value too. Redirects are not followed and are returned as responses. */
export type HttpResult =
  | { readonly ok: true; readonly response: HttpResponse }
  | {
      readonly ok: false;
      readonly reason: 'unreachable' | 'timeout' | 'too-large' | 'canceled';
      readonly message: string;
    };

/** Sends one request. Never rejects. */
export type Http = { readonly send: (request: HttpRequest) => Promise<HttpResult> };

/** How the app reaches a server, without credentials. */
export type ProxyRoute =
  | { readonly kind: 'direct' }
  | {
      readonly kind: 'proxy';
      readonly protocol: 'http' | 'https' | 'socks';
      readonly host: string;
      readonly port: number;
    };

export type FoundProxy = {
  readonly route: ProxyRoute;
  /** The proxy auto-configuration that decided, if known; without user, password, query and fragment. */
  readonly pacUrl: string | null;
};

export type HostLookup =
  | { readonly kind: 'found'; readonly addresses: readonly string[] }
  /** The DNS servers answer that there is no such name. */
  | { readonly kind: 'not-found'; readonly code: string }
  /** No DNS server gave a usable answer. */
  | { readonly kind: 'no-answer'; readonly code: string };

/** `code` comes from the network stack, e.g. `ECONNREFUSED`. */
export type ConnectResult =
  | { readonly kind: 'connected'; readonly address: string | null }
  | { readonly kind: 'failed'; readonly code: string };

export type TlsResult =
  | {
      readonly kind: 'secured';
      /** Why the certificate is not trusted, e.g. `CERT_HAS_EXPIRED`; `null` if it is. */
      readonly problem: string | null;
      readonly issuer: string | null;
      readonly validFromMs: number | null;
      readonly expiresAtMs: number | null;
      readonly protocol: string | null;
    }
  /** The proxy refused a tunnel with this status. */
  | { readonly kind: 'no-tunnel'; readonly status: number }
  /** A proxy that this measurement cannot use, though the app may. */
  | { readonly kind: 'not-measured' }
  | { readonly kind: 'failed'; readonly code: string };

export type NetworkTarget = { readonly host: string; readonly port: number };

/**
 * Measures each part of a connection to where the app itself connects. Never rejects; once the signal aborts, every
 * connection is closed and pending calls fail with the code `ABORTED`. Sends no user data.
 */
export type Network = {
  /** `null` if the system does not say. */
  readonly findProxy: (url: string) => Promise<FoundProxy | null>;
  readonly resolveHost: (host: string, signal: AbortSignal) => Promise<HostLookup>;
  readonly connect: (target: NetworkTarget, signal: AbortSignal) => Promise<ConnectResult>;
  /** Completes the handshake even with an untrusted certificate, to tell why, and then closes. */
  readonly secure: (target: NetworkTarget, route: ProxyRoute, signal: AbortSignal) => Promise<TlsResult>;
  /**
   * The `Date` of a response to one request without a body, in ms since 1970; `null` without one. Unverified, so for
   * display only.
   */
  readonly readDate: (url: string, route: ProxyRoute, signal: AbortSignal) => Promise<number | null>;
};

/** A failed read is not the same as an absent value. */
export type StoreRead =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly message: string };

/**
 * Renames the document to `NAME.unreadable-TIME`, so that the name can be written; succeeds if there is none. Rejects
 * if the disk fails; the name must not be written then.
 */
type SetAside = (name: string) => Promise<void>;

/**
 * Small encrypted texts: the session, the license. A write survives a crash once its promise is fulfilled, and rejects
 * if the disk fails. An unreadable file is set aside, never overwritten.
 */
export type SecretStore = {
  readonly read: (name: string) => Promise<StoreRead>;
  readonly write: (name: string, value: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  readonly setAside: SetAside;
  /** Names of documents that are unreadable now or were set aside. Never rejects. */
  readonly unreadable?: () => Promise<readonly string[]>;
  /** Where secrets are stored now. */
  readonly storage: () => 'keyring' | 'ask' | 'file' | 'memory';
  /** The user's choice without a keyring; `false` also removes what is stored. */
  readonly choose: (keep: boolean) => Promise<void>;
};

/** Small texts that are not secret: the settings, the device id in use. */
export type PlainStore = {
  readonly read: (name: string) => Promise<StoreRead>;
  readonly write: (name: string, value: string) => Promise<void>;
  readonly setAside: SetAside;
  /** As in `SecretStore`. */
  readonly unreadable?: () => Promise<readonly string[]>;
};

export type Machine = {
  /** The machine's own id as the system writes it; `absent` without one that can be trusted. Never rejects. */
  readonly readMachineId: () => Promise<StoreRead>;
  /** A name that the user recognizes, e.g. the host name; empty if there is none. */
  readonly deviceName: string;
  /** E.g. `linux x64`. */
  readonly platform: string;
  /** Versions useful for support, such as the system's, by name. */
  readonly versions?: Readonly<Record<string, string>>;
};

export type FileHashOutcome =
  | { readonly kind: 'hashed' /** 64 lower-case hex characters. */; readonly sha256: string; readonly bytes: number }
  | { readonly kind: 'unreadable' /** The system's error code, such as ENOENT. */; readonly message: string }
  /** A folder, a device, a pipe or a socket: anything but a regular file. */
  | { readonly kind: 'not-a-file' }
  | { readonly kind: 'canceled' };

/** An entry at or below a path: a regular file, or what cannot be listed or read. Links and devices are skipped. */
export type WalkedFile = {
  readonly kind: 'file' | 'unreadable';
  readonly path: string;
  /** The path in bytes, used for reading, if the file name is not valid text. */
  readonly pathBytes?: Uint8Array;
  /** Why it is unreadable: the system's error, if it gave one. */
  readonly error?: unknown;
};

export type FileReadOutcome =
  | { readonly kind: 'read' | 'canceled' }
  | { readonly kind: 'unreadable' /** The system's error, if it gave one. */; readonly error?: unknown }
  /** `onBytes` returned `false`. */
  | { readonly kind: 'ended' };

export type Files = {
  /**
   * Yields every file at or below the paths, in no particular order, one path at a time, without following links below
   * a given path. Never rejects; ends early once the signal aborts.
   */
  readonly walk: (paths: readonly string[], signal: AbortSignal) => AsyncIterable<WalkedFile>;
  /** Reads a regular file in pieces, each valid only during `onBytes`, until that returns `false`. Never rejects. */
  readonly readFile: (
    path: string | Uint8Array,
    options: { readonly signal: AbortSignal; readonly onBytes: (bytes: Uint8Array) => boolean },
  ) => Promise<FileReadOutcome>;
  /** Hashes a regular file of any size, never waiting for another process; calls `onProgress` at most ten times a second. */
  readonly hashFile: (
    path: string,
    options: { readonly signal: AbortSignal; readonly onProgress: (doneBytes: number, totalBytes: number) => void },
  ) => Promise<FileHashOutcome>;
  /** The installer of this installation, if it can be found (e.g. the AppImage). */
  readonly findOwnInstaller: () => Promise<string | null>;
};

export type Power = {
  /** Calls back just before the machine sleeps. */
  readonly onSuspend: (listener: () => void) => () => void;
  /** Calls back when the machine wakes or the network returns. */
  readonly onResume: (listener: () => void) => () => void;
  /** `null` on mains power, or if the system does not report the charge (0 to 1). Never rejects. */
  readonly readBattery?: () => Promise<{ readonly level: number } | null>;
};

/** A file signed by the publisher; its location and block map are not signed. */
export type OfferedFile = UpdateManifestFile & {
  /** Relative to the feed: version and name, URL-encoded. */
  readonly path: string;
  /** Size of the block map at the end of the file; `null` without one. */
  readonly blockMapBytes: number | null;
};

export type UpdateDownload = {
  /** E.g. `https://licenses.example.com/updates`. */
  readonly feed: string;
  readonly version: string;
  /** Files for this platform. */
  readonly files: readonly OfferedFile[];
};

/** How this installation gets new versions. */
export type AppUpdater = {
  readonly installation: InstallationKind;
  /** As in manifests, e.g. `linux_amd64`. */
  readonly platform: string;
  readonly channel: UpdateChannel;
  /**
   * Downloads the file for this installation and reports progress every second. Rejects on failure, or if it is none of
   * `files`.
   */
  readonly download: (
    update: UpdateDownload,
    signal: AbortSignal,
    onProgress: (progress: FileProgress) => void,
  ) => Promise<void>;
  /**
   * Installs that file; with `restart` the app quits and starts as the new version. Rejects on failure, or if the file
   * changed.
   */
  readonly install: (options: { readonly restart: boolean }) => Promise<void>;
};

export type Log = {
  /** The last lines written, oldest first; empty if they cannot be read. Never rejects. */
  readonly recent?: (maxLines: number) => Promise<readonly string[]>;
  /** `facts` must not contain secrets. */
  readonly info: (message: string, facts?: Readonly<Record<string, unknown>>) => void;
  readonly warn: (message: string, facts?: Readonly<Record<string, unknown>>) => void;
};

export type Platform = {
  /** This runtime's `crypto.subtle` by default. */
  readonly subtle?: Subtle;
  readonly clock: Clock;
  readonly random: Random;
  readonly http: Http;
  readonly network: Network;
  readonly secrets: SecretStore;
  readonly plain: PlainStore;
  readonly machine: Machine;
  readonly files: Files;
  readonly power: Power;
  /** Without it, the app does not update itself. */
  readonly updater?: AppUpdater;
  readonly log: Log;
  /** Reserves the stores for one client of this process; returns what ends that, or `null` while another one uses them. */
  readonly claim?: () => (() => void) | null;
};
