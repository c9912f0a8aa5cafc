import type { Severity } from './finding.ts';

/** The names of the severities as people read them. */
export const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  P0: 'Critical',
  P1: 'High',
  P2: 'Medium',
  P3: 'Low',
};

export const severityWord = (severity: Severity): string => SEVERITY_WORDS[severity];
