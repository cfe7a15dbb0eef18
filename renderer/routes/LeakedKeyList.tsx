/** The keys found by a scan: the location of each, and Revoke for an API key. */
import { KeyRound } from 'lucide-react';
import { useId, useState } from 'react';
import type { LeakedKey } from '../../shared/ipc/key-scan.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { ConfirmDialog } from '../components/Dialogs.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';

export function LeakedKeyList({ keys }: { readonly keys: readonly LeakedKey[] }) {
  const { t } = useMessages();
  const [revoking, setRevoking] = useState<LeakedKey | null>(null);
  return (
    <>
      <ul className="devices" aria-label={t('leakedKeys.title')}>
        {keys.map((found) => (
          <LeakedKeyRow key={found.id} found={found} onRevoke={() => setRevoking(found)} />
        ))}
      </ul>
      {keys.some(({ kind }) => kind === 'license_key') && <p className="hint">{t('leakedKeys.licenseKeyHint')}</p>}
      {revoking !== null && <RevokeDialog found={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

type RowProps = { readonly found: LeakedKey; readonly onRevoke: () => void };

/** The button's name is only the action; the key and its location are its description. */
function LeakedKeyRow({ found, onRevoke }: RowProps) {
  const { t } = useMessages();
  const nameId = useId();
  const place = t('leakedKeys.place', { line: found.line, column: found.column });
  return (
    <li className="device leaked-key" aria-labelledby={nameId}>
      <KeyRound className="icon device-icon" aria-hidden />
      <div id={nameId}>
        <p className="device-name">
          <span className="mono wrap-anywhere">{found.kind === 'api_key' ? `${found.preview}…` : found.preview}</span>{' '}
          <span className="badge">{t(found.kind === 'api_key' ? 'leakedKeys.apiKey' : 'leakedKeys.licenseKey')}</span>
        </p>{' '}
        <p className="hint wrap-anywhere">
          {found.file ?? t('leakedKeys.pasted')} · <span className="tabular">{place}</span>
        </p>
      </div>{' '}
      {found.kind === 'api_key' && found.reported && (
        <span className="badge badge-good">{t('leakedKeys.reported')}</span>
      )}
      {found.kind === 'api_key' && !found.reported && (
        <ActionButton describedBy={nameId} onPress={onRevoke}>
          {t('leakedKeys.revoke')}
        </ActionButton>
      )}
    </li>
  );
}

function RevokeDialog({ found, onClose }: { readonly found: LeakedKey; readonly onClose: () => void }) {
  const { t } = useMessages();
  const address = useApp((app) => app.server.address ?? '');
  const action = useAction();
  const revoke = async () => {
    if ((await action.run(() => bridge.reportLeakedKey({ id: found.id }))) === null) return;
    showToast(t('leakedKeys.revoked', { preview: found.preview }));
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('leakedKeys.revokeTitle', { preview: found.preview })}
      text={t('leakedKeys.revokeText', { address })}
      confirmLabel={t('leakedKeys.revoke')}
      danger
      pending={action.pending}
      failure={action.failure}
      onConfirm={() => void revoke()}
      onClose={onClose}
    />
  );
}
