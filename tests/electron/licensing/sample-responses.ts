/** Responses about a valid license, for tests of what follows from them. */
import type { Features } from '../../../shared/api/features.ts';
import type { ValidLicense } from '../../../shared/api/license.ts';

const license = { plan: 'standard', status: 'active', activations: 1, max_activations: 3 };

/** A response of `/license/validate`; the features may be fewer than a server sends. */
export function validLicense(features: Partial<Features>): ValidLicense {
  const device = { can_activate: true, already_activated_on_device: true };
  return { valid: true, ...license, ...device, features: features as Features };
}

/** The license in a response of `/subscription/status`. */
export const licenseSummary = { key_preview: 'SVC-AB12...GH7X', ...license };
