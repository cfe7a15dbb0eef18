/** Selects what the timeline records of a server response: what affects later decisions, and nothing secret. Pure. */
import type { EndpointName, ResponseOf } from '../../shared/api/endpoints.ts';
import type { AnswerContent } from '../../shared/ipc/diagnostics.ts';
import { parseJws, readPublicKeys } from '../../shared/jws.ts';
import { leaseClaims, leaseType } from '../../shared/lease.ts';
import { maskLicenseKey } from './entitlement.ts';

/** Returns what to record of this endpoint's response; `undefined` if nothing in it affects a decision. */
export function describeAnswer(endpoint: EndpointName | 'leaseKeys', response: unknown): AnswerContent | undefined {
  switch (endpoint) {
    case 'login':
    case 'signup':
      return { account_id: (response as ResponseOf<'login'>).user.id };
    case 'validateLicense': {
      const validation = response as ResponseOf<'validateLicense'>;
      return { validation: validation.valid ? validation : { ...validation, error: '' } };
    }
    case 'subscriptionStatus':
      return { status: response as ResponseOf<'subscriptionStatus'> };
    case 'activateLicense': {
      const { activations, max_activations } = response as ResponseOf<'activateLicense'>;
      return { activation: { activations, max_activations } };
    }
    case 'lease':
      return describeLease((response as ResponseOf<'lease'>).lease);
    case 'leaseKeys':
      return { kids: readPublicKeys(response).map(({ kid }) => kid) };
    case 'about':
      return { leases: (response as ResponseOf<'about'>).leases };
    case 'features':
      return { feature_names: (response as ResponseOf<'features'>).features.map(({ name }) => name) };
    case 'replaceLicenseKey':
      return { key_preview: maskLicenseKey((response as ResponseOf<'replaceLicenseKey'>).license_key) };
    default:
      return undefined;
  }
}

/** The signature is not checked: a replay signs the lease again. */
function describeLease(lease: string): AnswerContent | undefined {
  const parsed = parseJws(lease, leaseType, leaseClaims);
  return parsed ? { lease: { kid: parsed.kid, claims: parsed.claims } } : undefined;
}
