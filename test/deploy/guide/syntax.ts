/** What can be said about a block without running it: by the loader, schema or parser of its language. */
import { spawnSync } from 'node:child_process';
import { parse as parseCode } from '@babel/parser';
import { parse as parseToml } from 'smol-toml';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../../shared/config/load.ts';
import { parseRepositorySettings } from '../../../shared/config/repository/repository-settings.ts';
import { LoopSettingsPart } from '../../../services/slots/settings/settings.ts';
import type { Block } from './blocks.ts';

/** Complete a part of `fixpoint.toml`; blocks name the first one, and the second one serves reports of CI jobs. */
const FORGES = `
[[forge]]
id = "forgejo"
kind = "forgejo"
base_url = "https://forgejo.example.com"
token_env = "FORGEJO_TOKEN"
webhook_secret_envs = ["FORGEJO_WEBHOOK_SECRET"]
projects = ["owner/name", "acme/*"]
[[forge]]
id = "gitlab"
kind = "gitlab"
base_url = "https://gitlab.example.com"
token_env = "GITLAB_TOKEN"
webhook_secret_envs = ["GITLAB_WEBHOOK_SECRET"]
projects = ["team/service"]
`;

const TOML: Readonly<Record<string, (text: string) => readonly string[]>> = {
  'file=fixpoint.toml': (text) => {
    const whole = /^\[\[forge\]\]$/m.test(text) ? text : `${text}\n${FORGES}`;
    const loaded = loadConfig({ text: whole, env: {}, needs: [], folder: '/' });
    return loaded.ok ? [] : loaded.problems;
  },
  'file=.fixpoint.toml': (text) => parseRepositorySettings(text).notes,
  'file=loop.toml': (text) => {
    const parsed = LoopSettingsPart.safeParse(parseToml(text));
    return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  },
};

const CHECKS: Readonly<Record<string, (block: Block) => readonly string[]>> = {
  sh: ({ text }) => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
    return status === 0 ? [] : [stderr];
  },
  toml: ({ mark, text }) => TOML[mark]?.(text) ?? [`"${mark}" is none of ${Object.keys(TOML).join(', ')}`],
  yaml: ({ text }) => parseAllDocuments(text).flatMap(({ errors }) => errors.map(({ message }) => message)),
  json: ({ text }) => (JSON.parse(text) === undefined ? ['is nothing'] : []),
  ts: ({ text }) => {
    parseCode(text, { sourceType: 'module', plugins: ['typescript'] });
    return [];
  },
  text: () => [],
};

/** Everything that is wrong with a block, in words. */
export const problemsOf = (block: Block): readonly string[] => {
  const check = CHECKS[block.language];
  if (check === undefined) return [`"${block.language}" is none of ${Object.keys(CHECKS).join(', ')}`];
  try {
    return check(block);
  } catch (error) {
    return [String(error)];
  }
};
