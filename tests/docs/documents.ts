/** The documents that have generated sections, each with the functions that write them. */
import { apiSections } from './api-sections.ts';

export const documents: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'shared/api/README.md': apiSections,
};
