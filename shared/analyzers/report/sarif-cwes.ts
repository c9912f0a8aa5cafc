/** The weaknesses (CWE) that a rule of a SARIF report is about. Scanners write them into tags or as a taxonomy. */
import { MAX_CWES } from './report.ts';
import type { SarifRule } from './sarif-schema.ts';

const MAX_TAGS = 50;

/** Sorted, without repetitions; empty if the rule names none. */
export const cwesOf = (rule: SarifRule | undefined): readonly number[] => {
  const tags = (rule?.properties?.tags ?? []).slice(0, MAX_TAGS).flatMap((tag) => numberIn(TAG, tag));
  const targets = (rule?.relationships ?? []).slice(0, MAX_TAGS).flatMap(({ target }) => {
    const isCwe = target?.toolComponent?.name?.toUpperCase() === 'CWE';
    return numberIn(isCwe ? TAXON : TAG, target?.id);
  });
  return [...new Set([...tags, ...targets])].toSorted((one, other) => one - other).slice(0, MAX_CWES);
};

/** Such as `external/cwe/cwe-079` and `CWE-79: Improper neutralization`. */
const TAG = /^(?:external\/cwe\/)?cwe-(\d{1,5})(?!\d)/i;
/** The taxonomy itself may be named only beside the number. */
const TAXON = /^(?:cwe-)?(\d{1,5})$/i;

const numberIn = (pattern: RegExp, text: unknown): readonly number[] => {
  const found = typeof text === 'string' ? Number(pattern.exec(text)?.[1] ?? 0) : 0;
  return found > 0 ? [found] : [];
};
