/**
 * Records as the server would send them, for states that a real server is not in: with many or long records, failing or
 * slow.
 */
import type { PolicyPreview } from '../../shared/api/admin/policy-preview.ts';
import type { AdminResponseOf } from '../../shared/api/admin-endpoints.ts';
import { seededFeatures } from '../../shared/seeded-feature-texts.ts';
import { seededPlans } from '../../shared/seeded-features.ts';

const day = 24 * 60 * 60 * 1000;

/** Returns the time that many days ago, as ISO 8601. */
export function ago(days: number): string {
  return new Date(Date.now() - days * day).toISOString();
}

export function id(number: number): string {
  return `0198c0de-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

const people = ['ada', 'barbara', 'claude', 'dorothy', 'edsger', 'frances', 'grace', 'hedy', 'ivan', 'joan'];
const plans = ['standard', 'advanced', 'free', 'lab-wide'];
const statuses = ['active', 'trialing', 'past_due', 'canceled', 'expired'];

export function sampleAccounts(count: number): AdminResponseOf<'accounts'> {
  return {
    accounts: Array.from({ length: count }, (_, index) => ({
      id: id(100 + index),
      email: `${people[index % people.length]}${index < people.length ? '' : index}@lab.example`,
      full_name: index % 3 === 0 ? 'Ada Lovelace' : '',
      created_at: ago(index * 3),
      email_confirmed_at: ago(index * 3),
      email_confirmation_missing: false,
      plan: index % 4 === 3 ? null : (plans[index % plans.length] ?? null),
      status: index % 4 === 3 ? null : (statuses[index % statuses.length] ?? null),
      current_period_end: index % 4 === 3 ? null : ago(-20 - index),
      licenses: 1 + (index % 3),
      devices: (index * 7) % 12,
    })),
    next: count === 0 ? null : 'key-of-the-next-page',
    total: { count: count === 0 ? 0 : 1_204_311, is_exact: count === 0 },
  };
}

const licenseStatuses = ['active', 'active', 'inactive', 'revoked', 'expired'];

function sampleLicenseRow(index: number) {
  return {
    id: id(500 + index),
    key_preview: `SVC-${['AB12', '7Q0Z', 'K9TT', '01HX', 'ZZ4P'][index % 5]}...${['WXYZ', '33PM', 'Q7Q7'][index % 3]}`,
    plan: plans[index % 2] ?? 'standard',
    status: licenseStatuses[index % licenseStatuses.length] ?? 'active',
    activations: index % 4,
    max_activations: 3,
    user_id: index % 5 === 4 ? null : id(100 + index),
    email: index % 5 === 4 ? null : `${people[index % people.length]}@lab.example`,
    expires_at: index % 3 === 1 ? ago(-300) : null,
    updates_until: index % 2 === 0 ? ago(-100) : null,
    with_subscription: index % 2 === 0,
    created_at: ago(index * 2),
    updated_at: ago(index),
  };
}

export function sampleLicenses(count: number): AdminResponseOf<'licenses'> {
  return {
    licenses: Array.from({ length: count }, (_, index) => sampleLicenseRow(index)),
    next: null,
    total: { count, is_exact: true },
  };
}

const activities = ['active', 'idle', 'stale'] as const;
const names = ['Studio Mac', 'Lab PC 4', '', 'EEG rig, second floor', 'Laptop'];
const platforms = ['darwin arm64', 'win32 x64', 'linux x64'];

function sampleActivation(index: number) {
  return {
    activation_id: id(900 + index),
    key_preview: 'SVC-AB12...WXYZ',
    device_id: `HW-${'0123ABCD-'.repeat(3)}${String(10000000 + index)}`,
    device_name: names[index % names.length] ?? '',
    platform: platforms[index % platforms.length] ?? '',
    activated_at: ago(60 + index),
    last_seen_at: ago((index % 3) * 12 + 0.01),
    activity: activities[index % 3] ?? 'active',
  };
}

export function sampleDevices(count: number): AdminResponseOf<'devices'> {
  return {
    devices: Array.from({ length: count }, (_, index) => ({
      ...sampleActivation(index),
      license_id: id(500),
      user_id: id(100 + index),
      email: `${people[index % people.length]}@lab.example`,
    })),
    next: null,
    total: { count, is_exact: true },
  };
}

export function sampleLicense(devices: number): AdminResponseOf<'license'> {
  return {
    ...sampleLicenseRow(0),
    activations: devices,
    max_activations: Math.max(3, devices),
    devices: Array.from({ length: devices }, (_, index) => sampleActivation(index)),
  };
}

export function sampleAccount(email = 'ada@lab.example'): AdminResponseOf<'account'> {
  return {
    id: id(100),
    email,
    full_name: 'Ada Lovelace',
    created_at: ago(400),
    email_confirmed_at: ago(400),
    email_confirmation_missing: false,
    password_changed_at: ago(100),
    has_password: true,
    role: null,
    subscription: {
      id: id(300),
      plan: 'standard',
      status: 'active',
      current_period_start: ago(10),
      current_period_end: ago(-20),
      cancel_at_period_end: false,
      gives_access: true,
      created_at: ago(400),
      updated_at: ago(10),
    },
    other_subscriptions: [
      {
        id: id(301),
        plan: 'free',
        status: 'expired',
        current_period_start: ago(400),
        current_period_end: ago(386),
        cancel_at_period_end: false,
        gives_access: false,
        created_at: ago(400),
        updated_at: ago(400),
        source: 'account',
        is_replaced: false,
      },
    ],
    entitlement: { plan: 'standard', decided_by: 'subscription', features: seededPlans.standard },
    licenses: [
      { ...sampleLicenseRow(0), activations: 2 },
      { ...sampleLicenseRow(1), activations: 1, status: 'inactive' },
    ],
    license_totals: { licenses: 2, devices: 3, devices_with_subscription: 2 },
    api_key: {
      id: id(700),
      user_id: id(100),
      api_key_prefix: 'svc_live_h3Kf',
      is_legacy: false,
      created_at: ago(50),
      expires_at: null,
      revoked_at: null,
    },
    sessions: [0, 1].map((index) => ({
      id: id(800 + index),
      created_at: ago(12 + index),
      last_used_at: ago(index),
      expires_at: ago(-7),
      user_agent: ['Latchkey/4.2.0 (darwin arm64; Studio Mac)', ''][index] ?? '',
    })),
  };
}

/** Returns the features of the interface, one of them hidden, and one custom feature. */
export function sampleFeatures(): AdminResponseOf<'featureRecords'> {
  const builtIn = seededFeatures.map((feature) => ({
    ...feature,
    hidden: feature.name === 'mental_state_detection',
    built_in: true,
  }));
  const title = { en: 'PDF reports', de: 'PDF-Berichte', ja: 'PDF レポート' };
  const does = { en: 'Prints a session as a report.', de: 'Druckt eine Sitzung als Bericht.' };
  return { features: [...builtIn, { name: 'pdf_reports', title, does, hidden: false, built_in: false }] };
}

export function samplePlans(): AdminResponseOf<'plans'> {
  const flags = {
    real_time_visualization: true,
    osc_lsl_streaming: true,
    session_recording: true,
    csv_export: true,
    api_access: true,
    signal_filtering: true,
    custom_preprocessing: false,
    mental_state_detection: false,
  };
  return {
    plans: ['free', 'standard', 'advanced', 'lab-wide'].map((name, index) => ({
      id: id(200 + index),
      name,
      max_devices: [1, 3, 10, 100][index] ?? 1,
      new_devices_per_month: 10,
      lease_days: null,
      features: { ...flags, pdf_reports: index > 1, max_devices: [1, 3, 10, 100][index] ?? 1 },
      created_at: ago(500),
      updated_at: ago(500),
    })),
  };
}

export function samplePreview(): PolicyPreview {
  return {
    would_change: { accounts: 2, licenses: 2, devices: 3 },
    lose: { csv_export: 3, pdf_reports: 1 },
    gain: {},
    over_limit: 1,
  };
}
