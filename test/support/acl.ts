/** The rules of an ACL user for Fixpoint, as the guide for operators states them. */
import { readFileSync } from 'node:fs';

const GUIDE = new URL('../../deploy/guide/scaling.md', import.meta.url);

/** One line per group of rules; the line with the user's name and password is not part of it. */
export const leastRights = (prefix: string): readonly string[] => {
  const text = readFileSync(GUIDE, 'utf8');
  const line = /^ACL SETUSER fixpoint on \S+ (?<rules>.+)$/m.exec(text)?.groups?.['rules'];
  if (line === undefined) throw new Error('the guide has no line "ACL SETUSER fixpoint on"');
  return [line.replaceAll('fixpoint', prefix)];
};
