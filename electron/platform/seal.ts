/** What turns a secret into bytes that may lie on the disk, and back. */

export type Seal = {
  /** Named in the file, so that it is opened by the seal that closed it. */
  readonly kind: 'keyring' | 'file';
  readonly close: (text: string) => Promise<Uint8Array>;
  /** Rejects where the bytes were changed, or the key is not the one that closed them. */
  readonly open: (sealed: Uint8Array) => Promise<string>;
};
