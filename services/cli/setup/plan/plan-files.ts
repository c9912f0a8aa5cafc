import type { SetupFacts } from './facts.ts';
import { isToml, withForge } from './config-text.ts';
import { readVariables } from '../../variables/env-text.ts';
import { type SetupAction, blocked, done, type SetupStep, todo } from './step.ts';

/** What the configuration says about this forge. Null if it has no table for the forge. */
export type Configured = { readonly baseUrl: string; readonly projects: readonly string[] } | null;

export const planConfig = (facts: SetupFacts, configured: Configured): SetupStep => {
  const { path, text } = facts.config;
  if (configured === null) {
    const added = withForge(text, facts);
    if (!isToml(added))
      return blocked(
        'configuration',
        `${path}: no [[forge]] can be added below the forges that are there`,
        'write each forge as a table [[forge]] of its own, and not as forge = [ … ]',
      );
    const what = text === null ? `write ${path}` : `add the forge "${facts.forge.id}" to ${path}`;
    return todo('configuration', what, [{ kind: 'write_config', text: added }]);
  }
  const missing = facts.projects.filter((project) => !configured.projects.some((known) => covers(known, project)));
  if (missing.length === 0) return done('configuration', `${path} has the forge "${facts.forge.id}"`);
  return blocked(
    'configuration',
    `${path}: projects of the forge "${facts.forge.id}" lacks ${missing.join(', ')}, so their events would be ignored`,
    `add ${missing.map((project) => `"${project}"`).join(', ')} to projects`,
  );
};

const covers = (pattern: string, project: string): boolean => {
  const [known, wanted] = [pattern.toLowerCase(), project.toLowerCase()];
  if (known === wanted || known === '*' || known === '**') return true;
  return /\/\*{1,2}$/.test(known) && wanted.startsWith(known.replace(/\*{1,2}$/, ''));
};

/** Mode bits that give access to the group or to everybody. */
const OTHERS = 0o077;

export const planVariables = ({ env }: Pick<SetupFacts, 'env'>, needed: readonly string[]): SetupStep => {
  const known = readVariables(env.text ?? '');
  const missing = needed.filter((name) => known[name] === undefined);
  const open = env.mode !== null && (env.mode & OTHERS) !== 0;
  const actions: readonly SetupAction[] = [
    ...(missing.length > 0 ? [{ kind: 'write_env' as const, missing }] : []),
    ...(open ? [{ kind: 'restrict_env' as const }] : []),
  ];
  if (actions.length === 0) return done('variables', `${env.path} has every variable`);
  const what = [
    ...(missing.length > 0 ? [`set ${missing.join(', ')} in ${env.path}`] : []),
    ...(open ? [`let only its owner read ${env.path}`] : []),
  ];
  return todo('variables', what.join('; '), actions);
};
