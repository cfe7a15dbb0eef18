/** A dialog that adds an endpoint: its URL and the events it receives. */
import { useState } from 'react';
import type { AddedWebhook, WebhookEventType } from '../../../../shared/api/admin/webhooks.ts';
import { Field } from '../../../components/Field.tsx';
import { CheckField } from '../../forms/CheckField.tsx';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { eventKeys, eventTypes } from './event-names.ts';

type AddWebhookDialogProps = { readonly onAdded: (added: AddedWebhook) => void; readonly onClose: () => void };

export function AddWebhookDialog({ onAdded, onClose }: AddWebhookDialogProps) {
  const { t } = useMessages();
  const [url, setUrl] = useState('');
  const [wantsAll, setWantsAll] = useState(true);
  const [chosen, setChosen] = useState<readonly WebhookEventType[]>([]);
  const parsed = URL.parse(url.trim());
  const isHttp = /^https?:$/.test(parsed?.protocol ?? '');
  const hasUser = parsed !== null && parsed.username + parsed.password !== '';
  const hasEvents = wantsAll || chosen.length > 0;
  const { dialog, tried } = useDialogChange('addWebhook', {
    request: () => {
      if (!isHttp || hasUser || !hasEvents) return null;
      const events = wantsAll ? [] : eventTypes.filter((type) => chosen.includes(type));
      return { body: { url: url.trim(), events } };
    },
    onSuccess: (added) => {
      onClose();
      onAdded(added);
    },
    onClose,
  });
  return (
    <FormDialog {...dialog} title={t('webhooks.add')} text={t('webhooks.addText')} submitLabel={t('webhooks.add')}>
      <Field
        label={t('webhooks.url')}
        type="url"
        autoComplete="off"
        autoFocus
        hint={t('webhooks.urlHint')}
        value={url}
        onChange={setUrl}
        error={tried && (!isHttp || hasUser) ? t(isHttp ? 'webhooks.urlUserError' : 'webhooks.urlError') : null}
      />
      <CheckField
        label={t('webhooks.allEvents')}
        hint={t('webhooks.allEventsHint')}
        checked={wantsAll}
        onChange={setWantsAll}
      />
      {!wantsAll && <EventChoice chosen={chosen} onChange={setChosen} isMissing={tried && !hasEvents} />}
    </FormDialog>
  );
}

type EventChoiceProps = {
  readonly chosen: readonly WebhookEventType[];
  readonly onChange: (chosen: readonly WebhookEventType[]) => void;
  readonly isMissing: boolean;
};

function EventChoice({ chosen, onChange, isMissing }: EventChoiceProps) {
  const { t } = useMessages();
  return (
    <fieldset className="field-group" aria-label={t('webhooks.events')}>
      {eventTypes.map((type) => (
        <CheckField
          key={type}
          label={t(`webhooks.event.${eventKeys[type]}`)}
          hint={type}
          checked={chosen.includes(type)}
          onChange={(isOn) => onChange(isOn ? [...chosen, type] : chosen.filter((other) => other !== type))}
        />
      ))}
      {isMissing && (
        <p className="hint hint-error" role="alert">
          {t('webhooks.noEvents')}
        </p>
      )}
    </fieldset>
  );
}
