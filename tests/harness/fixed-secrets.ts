/** Secrets without a file, which are never rotated. */
import type { Secrets } from '../../server/secrets/secrets.ts';

export const fixedSecrets: Secrets = {
  masterKeys: [Buffer.alloc(32, 1)],
  pepper: Buffer.alloc(32, 2),
  refresh: () => false,
};
