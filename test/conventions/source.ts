/** The project's source as text, for rules that linters do not have. */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { PROJECT_ROOT, trackedFiles } from '../support/tracked-files.ts';

export type SourceFile = { readonly path: string; readonly text: string };

export const readProjectFile = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');

const withText = (path: string): SourceFile => ({ path, text: readProjectFile(path) });

export const sources: readonly SourceFile[] = trackedFiles()
  .filter((path) => path.endsWith('.ts'))
  .map(withText);

export const production = sources.filter(({ path }) => /^(?:services|shared)\//.test(path));

/** Without comments, so that a comment may mention what a rule forbids. */
export const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(?<=^|[\s;{(,])\/\/.*$/gm, '');

const STATEMENT =
  /^(?:import|export)\b[^;']*?\bfrom '(?<from>[^']+)'|^import '(?<bare>[^']+)'|\bimport\('(?<lazy>[^']+)'\)/gm;

/** Every imported module of a file; relative ones as paths from the project's root. */
export function importsOf({ path, text }: SourceFile): readonly string[] {
  const names = [...withoutComments(text).matchAll(STATEMENT)].map(
    ({ groups }) => groups?.['from'] ?? groups?.['bare'] ?? groups?.['lazy'] ?? '',
  );
  return names.map((name) => (name.startsWith('.') ? normalize(join(dirname(path), name)) : name));
}

/** The package of a module name (`bullmq`, `@gitbeaker/rest`); null for relative and built-in modules. */
export function packageOf(name: string): string | null {
  if (name.startsWith('node:') || /^(?:services|shared|test|deploy)\//.test(name)) return null;
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
