/** What the claims of an identity provider say about a person: the verified address and the role. */
import { describe, expect, it } from 'vitest';
import { type Claims, findRole, isComplete, requireVerifiedEmail } from '../../../server/oidc/identity.rules.ts';
import { SingleSignOnRefused } from '../../../server/oidc/provider-errors.ts';
import type { StaffRole } from '../../../shared/api/staff-role.ts';

const verified = { email: 'ada@example.com', email_verified: true };

describe('an ID token', () => {
  it.each<{ what: string; claims: Claims; complete: boolean }>([
    { what: 'with address, verification and groups', claims: { ...verified, groups: [] }, complete: true },
    {
      what: 'with an address that is not verified',
      claims: { ...verified, email_verified: false, groups: 'a' },
      complete: true,
    },
    { what: 'without groups', claims: verified, complete: false },
    { what: 'without an address', claims: { email_verified: true, groups: [] }, complete: false },
    { what: 'without a verification', claims: { email: verified.email, groups: [] }, complete: false },
    { what: 'with groups in another claim', claims: { ...verified, roles: [] }, complete: false },
    { what: 'with nothing', claims: {}, complete: false },
  ])('$what is complete: $complete', ({ claims, complete }) => {
    expect(isComplete(claims, 'groups')).toBe(complete);
  });
});

describe('the address', () => {
  it.each<{ what: string; sources: readonly Claims[] }>([
    { what: 'the only source', sources: [verified] },
    {
      what: 'the first source with both claims',
      sources: [{}, verified, { email: 'eve@example.com', email_verified: true }],
    },
    {
      what: 'a source with both claims after one without the verification',
      sources: [{ email: 'eve@example.com' }, verified],
    },
    { what: 'a source with both claims after one without the address', sources: [{ email_verified: false }, verified] },
  ])('is taken from $what', ({ sources }) => {
    expect(requireVerifiedEmail(sources)).toBe('ada@example.com');
  });

  it.each<{ what: string; sources: readonly Claims[] }>([
    { what: 'there is no source', sources: [] },
    { what: 'there is none', sources: [{ email_verified: true }] },
    { what: 'it is not verified', sources: [{ ...verified, email_verified: false }] },
    { what: 'the verification is a text', sources: [{ ...verified, email_verified: 'true' }] },
    {
      what: 'the address and its verification are of different sources',
      sources: [{ email: verified.email }, { email_verified: true }],
    },
    {
      what: 'the first source says that it is not verified',
      sources: [{ ...verified, email_verified: false }, verified],
    },
    { what: 'it is no address', sources: [{ ...verified, email: 'ada' }] },
    { what: 'it is no text', sources: [{ ...verified, email: 5 }] },
    { what: 'it is null', sources: [{ ...verified, email: null }] },
  ])('is refused if $what', ({ sources }) => {
    let refusal: unknown;
    try {
      requireVerifiedEmail(sources);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(SingleSignOnRefused);
    expect(refusal).toMatchObject({
      problem: 'SSO_UNVERIFIED_EMAIL',
      message: 'no address that the provider has verified',
    });
  });
});

describe('the role', () => {
  const roles = new Map<string, StaffRole>([
    ['readers', 'viewer'],
    ['helpdesk', 'support'],
    ['admins', 'owner'],
  ]);
  it.each<{ when: string; sources: readonly Claims[]; role: StaffRole | undefined }>([
    { when: 'there is no source', sources: [], role: undefined },
    { when: 'no source has the claim', sources: [{ roles: 'admins' }], role: undefined },
    { when: 'there is no group', sources: [{ groups: [] }], role: undefined },
    { when: 'the group is not known', sources: [{ groups: ['guests'] }], role: undefined },
    { when: 'one group is a text', sources: [{ groups: 'helpdesk' }], role: 'support' },
    { when: 'one group is in a list', sources: [{ groups: ['readers'] }], role: 'viewer' },
    { when: 'the highest comes first', sources: [{ groups: ['admins', 'helpdesk', 'readers'] }], role: 'owner' },
    { when: 'the highest comes last', sources: [{ groups: ['readers', 'helpdesk', 'admins'] }], role: 'owner' },
    { when: 'the highest stands between', sources: [{ groups: ['readers', 'helpdesk', 'guests'] }], role: 'support' },
    { when: 'groups are no texts', sources: [{ groups: [5, null, ['admins'], 'readers'] }], role: 'viewer' },
    { when: 'the claim is a number', sources: [{ groups: 5 }], role: undefined },
    {
      when: 'another source has a higher one',
      sources: [{ groups: ['readers'] }, { groups: ['admins'] }],
      role: 'viewer',
    },
    {
      when: 'the first source with the claim is empty',
      sources: [{ groups: [] }, { groups: ['admins'] }],
      role: undefined,
    },
    { when: 'only the second source has the claim', sources: [{}, { groups: ['admins'] }], role: 'owner' },
  ])('is $role if $when', ({ sources, role }) => {
    expect(findRole(sources, { claim: 'groups', roles })).toBe(role);
  });
});
