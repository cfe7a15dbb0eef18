/** The generated sections of the top README. */
import { describeDefault, settingsTable } from '../../server/settings-table.ts';
import { markdownTable } from './generated-sections.ts';

export const readmeSections = { settings: settingTable } as const satisfies Record<string, () => string>;

function settingTable(): string {
  const rows = Object.entries(settingsTable).map(([name, setting]) => [
    `\`${name}\``,
    describeDefault(setting),
    setting.meaning,
  ]);
  return markdownTable(['variable', 'default', 'meaning'], rows);
}
