/** Shows what a request file asks for: the license, its owner, the device, and the effect of signing. */
import { useEffect } from 'react';
import type { ListedLicense } from '../../../../shared/api/admin/licenses.ts';
import type { LeaseRequestFile } from '../../../../shared/api/lease.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { Field } from '../../../components/Field.tsx';
import { Skeleton } from '../../../components/Placeholders.tsx';
import { platformName } from '../../../i18n/format.ts';
import { failureOf, useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { LicenseStatus } from '../../records/StatusBadge.tsx';
import { hrefOf } from '../../routing.ts';
import { previewOf } from './lease-request.ts';

/** Account that receives a license without an owner. */
export type LeaseOwner = {
  readonly email: string;
  /** Whether the license is known to have no owner. */
  readonly isRequired: boolean;
};

type RequestedLeaseProps = {
  readonly request: LeaseRequestFile;
  readonly owner: LeaseOwner;
  readonly emailError: string | null;
  readonly onOwnerChange: (owner: LeaseOwner) => void;
  readonly onChooseAnother: () => void;
};

export function RequestedLease(props: RequestedLeaseProps) {
  const preview = previewOf(props.request);
  return preview === null ? <Request {...props} /> : <WithLicense {...props} preview={preview} />;
}

/** Looks up the license by its preview, because its key must not be in a URL. */
function WithLicense({ preview, ...props }: RequestedLeaseProps & { readonly preview: string }) {
  const result = useRead('licenses', { query: { search: preview, limit: '2' } });
  if (result.data === undefined && failureOf(result) === null) return <Skeleton lines={6} />;
  // Two licenses may have the same preview; only the server, which receives the key, can tell them apart.
  const [license, ...others] = result.data?.licenses ?? [];
  return <Request {...props} preview={preview} license={others.length === 0 ? license : undefined} />;
}

type RequestProps = RequestedLeaseProps & {
  readonly preview?: string;
  /** `undefined` if it is unknown which license it is. */
  readonly license?: ListedLicense | undefined;
};

function Request({ request, license, preview, owner, emailError, onOwnerChange, onChooseAnother }: RequestProps) {
  const { t } = useMessages();
  const isUnowned = license?.user_id === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the result of the check changes whether it is required
  useEffect(() => onOwnerChange({ ...owner, isRequired: isUnowned }), [isUnowned]);
  return (
    <>
      <Facts>
        <Fact name={t('navigation.license')} more={license && <LicenseStatus status={license.status} />}>
          <LicenseName preview={preview} license={license} />
        </Fact>
        {license && (
          <Fact
            name={t('field.owner')}
            more={t('licenses.devicesUsed', { used: license.activations, max: license.max_activations })}
          >
            {license.email ?? t('licenses.unclaimed')}
          </Fact>
        )}
        <Fact name={t('field.device')} more={request.platform !== '' && platformName(request.platform)}>
          {request.device_name || t('devices.unnamed')}
        </Fact>
        <Fact name={t('field.deviceId')}>
          <span className="mono">{request.device_id}</span>
        </Fact>
      </Facts>
      {(license === undefined || isUnowned) && (
        <Field
          label={t('credentials.email')}
          type="email"
          autoComplete="off"
          value={owner.email}
          onChange={(email) => onOwnerChange({ ...owner, email })}
          hint={t(isUnowned ? 'lease.ownerHint' : 'lease.ownerMaybeHint')}
          error={emailError}
        />
      )}
      <p>{t('lease.activates')}</p>
      <div>
        <ActionButton variant="quiet" onPress={onChooseAnother}>
          {t('lease.another')}
        </ActionButton>
      </div>
    </>
  );
}

function LicenseName({ preview, license }: Pick<RequestProps, 'preview' | 'license'>) {
  const { t } = useMessages();
  if (preview === undefined) return t('lease.otherKey');
  if (license === undefined) return <span className="mono">{preview}</span>;
  return (
    <a className="link mono" href={hrefOf('licenses', { open: license.id })}>
      {preview}
    </a>
  );
}
