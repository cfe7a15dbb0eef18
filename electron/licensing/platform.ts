/** The ports: everything that the licensing client needs from a machine, each with how it may fail. */
import type { UpdateChannel } from '../../shared/api/update-feed.ts';
import type { FileProgress } from '../../shared/ipc/file-progress.ts';
import type { InstallationKind } from '../../shared/ipc/updates.ts';
import type { SignatureVerifier } from '../../shared/jws.ts';
import type { UpdateManifestFile } from '../../shared/update-manifest.ts';

/** Wall time for what users see and the server says; monotonic time for how long something takes. */
export type Clock = {
  /** Milliseconds since the epoch; may jump either way. */
  readonly now: () => number;
  /** Milliseconds from an arbitrary start; never goes back. Time asleep may or may not count. */
  readonly monotonic: () => number;
  /** `null` if the system does not say. Never throws. */
  readonly sinceBoot: () => BootTime | null;
  /** Calls back once after at least that long; the returned function cancels. Never throws. */
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
};

/** How long ago the machine was started, time asleep included, whatever its wall clock says. */
export type BootTime = {
  /** Which start that was, another one for each; `null` if the system does not name it. */
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

/** What the client uses of `crypto.subtle`. */
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
  /** A response with a longer body fails with the reason `too-large`. */
  readonly maxResponseBytes: number;
  readonly signal?: AbortSignal;
};

export type HttpResponse = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** No response is a value as well. Redirects are not followed and arrive as their status. */
export type HttpResult =
  | { readonly ok: true; readonly response: HttpResponse }
  | {
      readonly ok: false;
      readonly reason: 'unreachable' | 'timeout' | 'too-large' | 'canceled';
      readonly message: string;
    };

/** Sends one request. Never rejects. */
export type Http = { readonly send: (request: HttpRequest) => Promise<HttpResult> };

/** How the app reaches a server. Credentials are no part of it. */
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
  /** The proxy auto-configuration that decided, where one is known; without user, password, query and fragment. */
  readonly pacUrl: string | null;
};

export type HostLookup =
  | { readonly kind: 'found'; readonly addresses: readonly string[] }
  /** The DNS servers answer, and have no such name. */
  | { readonly kind: 'not-found'; readonly code: string }
  /** No DNS server gave a usable answer. */
  | { readonly kind: 'no-answer'; readonly code: string };

/** `code` is the one of the network stack, e.g. `ECONNREFUSED`. */
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
  /** The proxy opened no tunnel, with that status. */
  | { readonly kind: 'no-tunnel'; readonly status: number }
  /** A proxy that this measurement cannot go through, though the app may. */
  | { readonly kind: 'not-measured' }
  | { readonly kind: 'failed'; readonly code: string };

export type NetworkTarget = { readonly host: string; readonly port: number };

/**
 * Measures each part of a connection where the app itself connects. Never rejects; once the signal is aborted every
 * connection is closed, and what is still under way fails with the code `ABORTED`. Sends nothing of the user.
 */
export type Network = {
  /** `null` if the system does not say. */
  readonly findProxy: (url: string) => Promise<FoundProxy | null>;
  readonly resolveHost: (host: string, signal: AbortSignal) => Promise<HostLookup>;
  readonly connect: (target: NetworkTarget, signal: AbortSignal) => Promise<ConnectResult>;
  /** Completes the handshake also with a certificate that is not trusted, to tell why, and then closes. */
  readonly secure: (target: NetworkTarget, route: ProxyRoute, signal: AbortSignal) => Promise<TlsResult>;
  /**
   * The `Date` of a response to one request without content, as ms since the epoch; `null` if there is none. Not
   * verified, so it may only be shown.
   */
  readonly readDate: (url: string, route: ProxyRoute, signal: AbortSignal) => Promise<number | null>;
};

/** A failed read is not the same as an absent value. */
export type StoreRead =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly message: string };

/**
 * Renames what is stored under the name to `NAME.unreadable-TIME`, so that the name may be written; succeeds if there is
 * nothing. Rejects if the disk fails, and then the name must not be written.
 */
export type SetAside = (name: string) => Promise<void>;

/**
 * Small encrypted texts: the session, the license. A write survives a crash once its promise is fulfilled; it rejects
 * if the disk fails. An unreadable file is quarantined, never overwritten.
 */
export type SecretStore = {
  readonly read: (name: string) => Promise<StoreRead>;
  readonly write: (name: string, value: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  readonly setAside: SetAside;
  /** The names of what cannot be read now, and of what was set aside. Never rejects. */
  readonly unreadable?: () => Promise<readonly string[]>;
  /** Where secrets are stored now. */
  readonly storage: () => 'keyring' | 'ask' | 'file' | 'memory';
  /** The user's choice where there is no keyring; `false` removes what is stored already. */
  readonly choose: (keep: boolean) => Promise<void>;
};

/** Small texts that are not secret: the settings, the device id in use. */
export type PlainStore = {
  readonly read: (name: string) => Promise<StoreRead>;
  readonly write: (name: string, value: string) => Promise<void>;
  readonly setAside: SetAside;
  /** As that of the secret store. */
  readonly unreadable?: () => Promise<readonly string[]>;
};

export type Machine = {
  /** The machine's own id as the system writes it; `absent` if it has none that can be trusted. Never rejects. */
  readonly readMachineId: () => Promise<StoreRead>;
  /** A name that the user recognizes, e.g. the host name; empty if there is none. */
  readonly deviceName: string;
  /** E.g. `linux x64`. */
  readonly platform: string;
  /** Versions that help to support the app, such as that of the system, by name. */
  readonly versions?: Readonly<Record<string, string>>;
};

export type FileHashOutcome =
  | { readonly kind: 'hashed' /** 64 lower-case hex characters. */; readonly sha256: string; readonly bytes: number }
  | { readonly kind: 'unreadable'; readonly message: string }
  /** A folder, a device, a pipe or a socket: anything but a regular file. */
  | { readonly kind: 'not-a-file' }
  | { readonly kind: 'canceled' };

/** What is at a path or below a folder: a regular file, or what cannot be listed or read. Links and devices are left out. */
export type WalkedFile = {
  readonly kind: 'file' | 'unreadable';
  readonly path: string;
  /** The path where the system names the file by bytes that no text stands for; it is read by them. */
  readonly pathBytes?: Uint8Array;
};

export type FileReadOutcome =
  | { readonly kind: 'read' | 'unreadable' | 'canceled' }
  /** `onBytes` has asked for no more. */
  | { readonly kind: 'ended' };

export type Files = {
  /**
   * Every file at or below the paths, in no order, a path at a time, without following links below a path that is given.
   * Never rejects; ends early once the signal is aborted.
   */
  readonly walk: (paths: readonly string[], signal: AbortSignal) => AsyncIterable<WalkedFile>;
  /** Reads a regular file in pieces, each valid during `onBytes` only, until that returns `false`. Never rejects. */
  readonly readFile: (
    path: string | Uint8Array,
    options: { readonly signal: AbortSignal; readonly onBytes: (bytes: Uint8Array) => boolean },
  ) => Promise<FileReadOutcome>;
  /** Hashes a regular file of any size, never waiting for another process; calls `onProgress` at most ten times a second. */
  readonly hashFile: (
    path: string,
    options: { readonly signal: AbortSignal; readonly onProgress: (doneBytes: number, totalBytes: number) => void },
  ) => Promise<FileHashOutcome>;
  /** The installer that this installation came from, if it can be found (e.g. the AppImage). */
  readonly findOwnInstaller: () => Promise<string | null>;
};

export type Power = {
  /** Calls back just before the machine sleeps. */
  readonly onSuspend: (listener: () => void) => () => void;
  /** Calls back when the machine wakes or the network returns. */
  readonly onResume: (listener: () => void) => () => void;
  /** `null` on mains power, and where the system does not say how full the battery is, from 0 to 1. Never rejects. */
  readonly readBattery?: () => Promise<{ readonly level: number } | null>;
};

/** A file that the publisher has signed, but not where it is, nor its block map. */
export type OfferedFile = UpdateManifestFile & {
  /** Relative to the feed: the version and the name, encoded. */
  readonly path: string;
  /** Of the block map at the end of the file; `null` if it has none there. */
  readonly blockMapBytes: number | null;
};

export type UpdateDownload = {
  /** Such as `https://licenses.example.com/updates`. */
  readonly feed: string;
  readonly version: string;
  /** Of this platform. */
  readonly files: readonly OfferedFile[];
};

/** How this installation gets new versions. */
export type AppUpdater = {
  readonly installation: InstallationKind;
  /** As in manifests: `linux_amd64`. */
  readonly platform: string;
  readonly channel: UpdateChannel;
  /** Downloads the file of this kind, and says each second how far it is. Rejects if it cannot, or if it is none of `files`. */
  readonly download: (
    update: UpdateDownload,
    signal: AbortSignal,
    onProgress: (progress: FileProgress) => void,
  ) => Promise<void>;
  /** Installs that file; with `restart` the app quits and starts as it. Rejects if it cannot, or if the file has changed. */
  readonly install: (options: { readonly restart: boolean }) => Promise<void>;
};

export type Log = {
  /** The last lines that were written, oldest first; empty if they cannot be read. Never rejects. */
  readonly recent?: (maxLines: number) => Promise<readonly string[]>;
  /** `facts` must not contain secrets. */
  readonly info: (message: string, facts?: Readonly<Record<string, unknown>>) => void;
  readonly warn: (message: string, facts?: Readonly<Record<string, unknown>>) => void;
};

export type Platform = {
  /** `crypto.subtle` of this runtime if it is left out. */
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
  /** Without it the app does not update itself. */
  readonly updater?: AppUpdater;
  readonly log: Log;
};
