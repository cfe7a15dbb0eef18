/** Staff, their sessions and passkeys as the server would send them. */
import type { AdminResponseOf } from '../../shared/api/admin-endpoints.ts';
import type { StaffRole } from '../../shared/api/staff-role.ts';
import { ago, id } from './sample-records.ts';

export function sampleSession(role: StaffRole = 'owner'): AdminResponseOf<'staffSession'> {
  return {
    staff: { id: id(1), email: 'grace@lab.example', full_name: 'Grace Hopper', role },
    passkeys: 1,
    can_use_passkeys: true,
    has_password: true,
    confirmed_until: null,
    expires_at: ago(-0.5),
  };
}

export function sampleStaff(): AdminResponseOf<'staff'> {
  const members = [
    { email: 'grace@lab.example', role: 'owner', passkeys: 2, last_used_at: ago(0), has_password: true },
    { email: 'margaret@lab.example', role: 'support', passkeys: 0, last_used_at: ago(3), has_password: true },
    { email: 'katherine@lab.example', role: 'viewer', passkeys: 0, last_used_at: null, has_password: false },
  ] as const;
  return {
    staff: members.map((member, index) => ({
      id: id(1 + index),
      full_name: '',
      created_at: ago(90),
      sessions: index === 2 ? 0 : 1,
      ...member,
    })),
  };
}

export function samplePasskeys(): AdminResponseOf<'passkeys'> {
  return {
    passkeys: [
      { id: 'one', name: 'Firefox · Linux', created_at: ago(90), last_used_at: ago(0.1) },
      { id: 'two', name: 'Safari · iOS', created_at: ago(20), last_used_at: null },
    ],
  };
}

export function sampleSessions(): AdminResponseOf<'staffSessions'> {
  const agents = [
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
  ];
  return {
    sessions: agents.map((user_agent, index) => ({
      id: id(60 + index),
      created_at: ago(index),
      last_used_at: ago(index / 2),
      expires_at: ago(-0.5),
      address: ['192.0.2.7', '2001:db8::42'][index] ?? '',
      user_agent,
      current: index === 0,
    })),
  };
}
