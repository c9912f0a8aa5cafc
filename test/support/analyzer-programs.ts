/** Real analyzers for tests: eslint in a folder that the account of a cage can read, and shellcheck of the system. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ROOT } from './built.ts';

const MODULES = join(ROOT, 'node_modules');
const Package = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

/** Also what the packages inside of this one need. */
const dependenciesOf = (folder: string): readonly string[] => {
  const own = Package.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).dependencies;
  const inside = existsSync(join(folder, 'node_modules')) ? packagesIn(join(folder, 'node_modules')) : [];
  return [...Object.keys(own), ...inside.flatMap((each) => dependenciesOf(dirname(each)))];
};

const packagesIn = (modules: string): readonly string[] =>
  readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?:@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(path))
    .map((path) => join(modules, path));

/** All packages that these need, which npm has put side by side. */
const withDependencies = (names: readonly string[]): readonly string[] => {
  const all = new Set<string>();
  const ahead = [...names];
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (all.has(name) || !existsSync(join(MODULES, name, 'package.json'))) continue;
    all.add(name);
    ahead.push(...dependenciesOf(join(MODULES, name)));
  }
  return [...all];
};

const CONFIG = `export default [{ files: ['**/*.js'], rules: { 'no-dupe-keys': 'error', 'no-unreachable': 'warn' } }];\n`;

/** Returns the command of an `[[analyzer]]`. `node`: the program in the cage. */
export const installEslint = (folder: string, node: string): readonly string[] => {
  for (const name of withDependencies(['eslint', '@microsoft/eslint-formatter-sarif'])) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    cpSync(join(MODULES, name), join(folder, 'node_modules', name), { recursive: true });
  }
  writeFileSync(join(folder, 'eslint.config.mjs'), CONFIG);
  const formatter = join(folder, 'node_modules/@microsoft/eslint-formatter-sarif/sarif.js');
  const eslint = join(folder, 'node_modules/eslint/bin/eslint.js');
  return [node, eslint, '--no-inline-config', '-c', join(folder, 'eslint.config.mjs'), '-f', formatter, '.'];
};

export const SHELLCHECK = '/usr/bin/shellcheck';

/** In CI, where it was to be installed, a missing shellcheck is a failure and no reason to skip. */
export const hasShellcheck = existsSync(SHELLCHECK) || process.env['FIXPOINT_TESTS_NEED_CAGE'] === '1';
