/** The documents with generated sections, each with the functions that write them. */
import { apiSections } from './api-sections.ts';
import { electronSections } from './electron-apis.ts';
import { commandsSections, settingsSections } from './server-sections.ts';

export const documents: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'electron/README.md': electronSections,
  'server/docs/settings.md': settingsSections,
  'server/docs/commands.md': commandsSections,
  'shared/api/README.md': apiSections,
};
