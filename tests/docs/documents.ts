/** The documents that have generated sections, each with the functions that write them. */
import { apiSections } from './api-sections.ts';
import { readmeSections } from './readme-sections.ts';

export const documents: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'README.md': readmeSections,
  'shared/api/README.md': apiSections,
};
