import { showHidden } from '../../text/visible.ts';
import type { KeptParts } from './kept.ts';

const MAX_NAMED = 10;

const titlesOf = ({ findings }: KeptParts): string => {
  const titles = findings.slice(0, MAX_NAMED).map(({ title, path, line }) => `"${showHidden(title)}" ${path}:${line}`);
  const more = findings.length - titles.length;
  return `: ${titles.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** Says what to submit after a refusal, for a model that would otherwise repeat the whole review. */
export const correctionText = (kept: KeptParts): string => {
  const { length } = kept.findings;
  const findings = length === 0 ? '' : ` with ${length} ${length === 1 ? 'finding' : 'findings'}${titlesOf(kept)}`;
  const list = length === 0 ? ' Give the list of findings, even if it is empty.' : '';
  return `Everything else is kept${findings}. Call submit_review again with only the corrected entries; an entry that you leave out is withdrawn.${list} Do not repeat what is kept.`;
};
