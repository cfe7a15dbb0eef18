/** The API keys screen: owner and age of each key, and Revoke. Keys themselves are never shown. */
import { Ban, KeyRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ListedApiKey } from '../../../../shared/api/admin/api-keys.ts';
import { apiKeyPrefix, previewApiKey } from '../../../../shared/formats/api-key.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { RecordActions, RecordHeading, RecordSection } from '../../records/RecordSection.tsx';
import { hrefOf } from '../../routing.ts';
import { useMay } from '../../session/session-store.ts';
import type { ListColumn, ListFilter } from '../../table/columns.ts';
import { ListScreen } from '../../table/ListScreen.tsx';
import { OpenRow } from '../../table/OpenRow.tsx';

/** Shortens a whole key to its displayable prefix, because the search becomes part of the URL. */
function searchForKey(typed: string): string {
  return typed.startsWith(apiKeyPrefix) ? previewApiKey(typed) : typed;
}

export function ApiKeys() {
  const { t } = useMessages();
  return (
    <ListScreen
      name="apiKeys"
      title={t('navigation.apiKeys')}
      searchHint={t('apiKeys.searchHint')}
      toSearch={searchForKey}
      columns={useApiKeyColumns()}
      filters={useApiKeyFilters()}
      idOf={({ id }) => id}
      empty={{ icon: KeyRound, title: t('apiKeys.empty'), hint: t('apiKeys.emptyHint') }}
      renderRecord={(id) => (
        <OpenRow list="apiKeys" isOpen={(key) => key.id === id}>
          {(key) => <ApiKeyRecord apiKey={key} />}
        </OpenRow>
      )}
    />
  );
}

function ApiKeyRecord({ apiKey }: { readonly apiKey: ListedApiKey }) {
  const { t } = useMessages();
  const mayRevoke = useMay('revokeApiKey');
  const [revoking, setRevoking] = useState(false);
  return (
    <>
      <RecordHeading title={<span className="mono">{apiKey.api_key_prefix}…</span>}>
        {t(`apiKeys.${stateOf(apiKey)}`)}
      </RecordHeading>
      <RecordActions>
        {mayRevoke && apiKey.revoked_at === null && (
          <ActionButton icon={Ban} onPress={() => setRevoking(true)}>
            {t('apiKeys.revoke')}
          </ActionButton>
        )}
      </RecordActions>
      <RecordSection title={t('list.details')}>
        <Facts>
          <Fact name={t('field.owner')}>
            <a className="link" href={hrefOf('accounts', { search: apiKey.email })}>
              {apiKey.email}
            </a>
          </Fact>
          <Fact name={t('field.created')}>
            <Day at={apiKey.created_at} />
          </Fact>
          {apiKey.expires_at !== null && (
            <Fact name={t('field.expires')}>
              <Day at={apiKey.expires_at} />
            </Fact>
          )}
          {apiKey.revoked_at !== null && (
            <Fact name={t('apiKeys.revokedAt')}>
              <Day at={apiKey.revoked_at} />
            </Fact>
          )}
          <Fact name={t('field.id')}>
            <span className="mono">{apiKey.id}</span>
          </Fact>
        </Facts>
      </RecordSection>
      {revoking && <RevokeDialog apiKey={apiKey} onClose={() => setRevoking(false)} />}
    </>
  );
}

function RevokeDialog({ apiKey, onClose }: { readonly apiKey: ListedApiKey; readonly onClose: () => void }) {
  const { t } = useMessages();
  const name = `${apiKey.api_key_prefix}…`;
  const { dialog } = useDialogChange('revokeApiKey', {
    request: () => ({ params: { id: apiKey.id } }),
    success: t('apiKeys.revokedNow', { name }),
    onClose,
  });
  return (
    <TypedConfirmDialog
      {...dialog}
      title={t('apiKeys.revokeTitle', { name })}
      text={t('apiKeys.revokeText', { email: apiKey.email })}
      name={apiKey.email}
      confirmLabel={t('apiKeys.revoke')}
    />
  );
}

function stateOf({ revoked_at, is_legacy }: ListedApiKey): 'revoked' | 'legacy' | 'current' {
  if (revoked_at !== null) return 'revoked';
  return is_legacy ? 'legacy' : 'current';
}

function useApiKeyColumns(): readonly ListColumn<ListedApiKey>[] {
  const { t } = useMessages();
  return useMemo(
    () => [
      {
        id: 'key',
        label: t('field.key'),
        cell: ({ api_key_prefix }) => <span className="row-title mono">{api_key_prefix}…</span>,
      },
      { id: 'owner', label: t('field.owner'), cell: ({ email }) => <span className="wrap-anywhere">{email}</span> },
      { id: 'state', label: t('field.status'), cell: (key) => t(`apiKeys.${stateOf(key)}`) },
      {
        id: 'created',
        label: t('field.created'),
        isMinor: true,
        cell: ({ created_at }) => <Day at={created_at} />,
      },
      {
        id: 'expires',
        label: t('field.expires'),
        isMinor: true,
        isOptional: true,
        cell: ({ expires_at }) => (expires_at === null ? <span aria-hidden>–</span> : <Day at={expires_at} />),
      },
    ],
    [t],
  );
}

function useApiKeyFilters(): readonly ListFilter[] {
  const { t } = useMessages();
  const options = (['current', 'legacy', 'revoked'] as const).map((id) => ({ id, name: t(`apiKeys.${id}`) }));
  return [{ param: 'state', label: t('field.status'), options }];
}
