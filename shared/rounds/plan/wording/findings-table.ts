import type { Item } from './item.ts';
import { findingLink, oneLineTitle } from './finding-links.ts';
import { placeText } from './finding-text.ts';
import { severityWord } from '../../../vocabulary/severity-words.ts';
import { tableCell } from '../../../text/table-cell.ts';

export const TABLE_HEAD = ['| Severity | Finding | Where | Id |', '| --- | --- | --- | --- |'] as const;

/** Shows each finding's current place, because readers look for it at the newest head. Empty if there are no items. */
export const findingsTable = (items: readonly Item[]): string =>
  items.length === 0 ? '' : [...TABLE_HEAD, ...items.map(row)].join('\n');

const row = ({ id, severity, title, place, note }: Item): string => {
  const more = note === '' ? '' : ` _(${note})_`;
  return `| ${severityWord(severity)} | ${findingLink(oneLineTitle(title), id)}${more} | \`${tableCell(placeText(place))}\` | ${id} |`;
};
