/** Packages that are large and that most processes never need are loaded at their first use, not at the start. */
import { expect, test } from 'vitest';
import { SERVICE_NEEDS } from '../../shared/config/service-needs.ts';
import { importsOf, packageOf, production, type SourceFile, withoutComments } from './source.ts';

const LARGE = ['@anthropic-ai/sdk', 'openai', '@secretlint/node', 'scslre', 'ink', 'react', '@opentelemetry/sdk-node'];

const ERASED = /^(?:import|export) type\b[^;']*?\bfrom '[^']+'|\bimport\('[^']+'\)/gm;

/** Without types, which the build removes, and without modules that are loaded later. */
const loadedWith = ({ path, text }: SourceFile): readonly string[] =>
  importsOf({ path, text: withoutComments(text).replaceAll(ERASED, '') });

const fileAt: ReadonlyMap<string, SourceFile> = new Map(production.map((file) => [file.path, file]));

/** Each large package that a start loads, with the file that imports it. */
const largeAtStart = (entry: string): readonly string[] => {
  const seen = new Set([entry]);
  const large: string[] = [];
  for (const path of seen) {
    const file = fileAt.get(path);
    for (const name of file === undefined ? [] : loadedWith(file)) {
      const from = packageOf(name);
      if (from === null) seen.add(name);
      else if (LARGE.includes(from)) large.push(`${path} imports ${from}`);
    }
  }
  return large;
};

const ENTRIES = [...Object.keys(SERVICE_NEEDS), 'cli'].map((service) => `services/${service}/main.ts`);

test.each(ENTRIES)('%s loads no large package when it starts', (entry) => {
  expect(fileAt.has(entry)).toBe(true);
  expect(largeAtStart(entry)).toEqual([]);
});

test('an import that waits for its first use does not count, and another does', () => {
  const text = "import type { One } from 'zod';\nimport { two } from 'pino';\nconst three = await import('yaml');\n";
  expect(loadedWith({ path: 'shared/a.ts', text })).toEqual(['pino']);
});
