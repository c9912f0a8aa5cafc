/** `fixpoint rules check`: what a review would make of a folder of own rules. */
import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { loadRules } from '../../../shared/rules/own/load-rules.ts';
import {
  isRuleFileName,
  OWN_RULE_LIMITS,
  PROJECT_SOURCE,
  type RuleProblem,
  type RuleText,
} from '../../../shared/rules/own/own-rule.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { untilInterrupted } from '../terminal/until-interrupted.ts';
import { unreadable, UsageError } from '../terminal/usage-error.ts';

/** The exit code: 1 if there is a mistake. @throws UsageError */
export const checkRulesIn = async (folder: string): Promise<number> => {
  const { texts, problems: unread } = await readFolder(folder);
  const { rules, problems } = await untilInterrupted(async (signal) => loadRules(PROJECT_SOURCE, texts, signal));
  const all = [...unread, ...problems];
  const lines = [
    ...all.map(({ file, why }) => (file === null ? why : `${file}: ${why}`)),
    `${count(rules.length, 'rule')} in ${count(texts.length, 'file')} can be used, ${count(all.length, 'mistake')}`,
  ];
  process.stdout.write(lines.map((line) => `${escapeForTerminalLine(line)}\n`).join(''));
  return all.length > 0 ? 1 : 0;
};

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

type Folder = { readonly texts: readonly RuleText[]; readonly problems: readonly RuleProblem[] };

const readFolder = async (folder: string): Promise<Folder> => {
  const names = await readdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw unreadable(folder, cause);
  });
  const files = names.filter(isRuleFileName).toSorted();
  if (files.length === 0) throw new UsageError(`${folder}: contains no .yml file`);
  const texts: RuleText[] = [];
  const problems: RuleProblem[] = [];
  if (files.length > OWN_RULE_LIMITS.files)
    problems.push(problemOf(null, `there are more than ${OWN_RULE_LIMITS.files} files; the others are not used`));
  for (const name of files.slice(0, OWN_RULE_LIMITS.files)) {
    const file = path.join(folder, name);
    const why = await whyUnused(file);
    if (why === null) texts.push({ path: file, text: await readFile(file, 'utf8') });
    else problems.push(problemOf(file, why));
  }
  return { texts, problems };
};

const whyUnused = async (file: string): Promise<string | null> => {
  const found = await lstat(file);
  if (!found.isFile()) return 'is not a plain file';
  return found.size > OWN_RULE_LIMITS.fileBytes ? `is larger than ${OWN_RULE_LIMITS.fileBytes / 1024} KiB` : null;
};

const problemOf = (file: string | null, why: string): RuleProblem => ({ file, rule: null, language: null, why });
