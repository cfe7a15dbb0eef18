/** This device: whether it is activated, the slots of its license, its last heartbeat and its installer. */
import { Ago } from '../../components/Ago.tsx';
import { Fact, Facts } from '../../components/Facts.tsx';
import { Panel } from '../../components/Panel.tsx';
import { PlaceLink } from '../../components/PlaceLink.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { slotsOf } from '../../i18n/slots.ts';
import { useSentences } from '../../i18n/use-sentences.ts';
import { useApp } from '../../store.ts';
import { InstallerFact } from './InstallerFact.tsx';

export function DevicePanel() {
  const { t } = useSentences();
  const device = useApp((app) => app.thisDevice);
  const heartbeat = useApp((app) => app.heartbeat);
  const slots = slotsOf(device?.license ?? null);
  return (
    <Panel title={t('overview.device')} aside={<PlaceLink place="devices">{t('overview.deviceLink')}</PlaceLink>}>
      {device === null ? (
        <Skeleton lines={4} />
      ) : (
        <Facts>
          <Fact
            name={t('overview.name')}
            more={device.activated ? t('overview.activated') : t('overview.notActivated')}
          >
            {device.name || t('devices.unnamed')}
          </Fact>
          {slots !== null && (
            <Fact name={t('overview.activations')}>
              <span className="tabular">{t('overview.activationsUsed', slots)}</span>
            </Fact>
          )}
          <Fact name={t('overview.heartbeat')} more={heartbeat.lastFailure !== null && t('overview.heartbeatFailed')}>
            {heartbeat.lastAt === null ? t('overview.noHeartbeat') : <Ago at={heartbeat.lastAt} />}
          </Fact>
          <InstallerFact />
        </Facts>
      )}
    </Panel>
  );
}
