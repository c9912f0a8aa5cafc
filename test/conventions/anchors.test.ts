/** Links within documents lead to existing headings, and pictures exist. */
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { trackedFiles } from '../support/tracked-files.ts';
import { readProjectFile } from './source.ts';

const withoutCode = (text: string): string => text.replaceAll(/^( *)```[^]*?^\1```/gm, '');

/** Anchors as forges make them from headings: lower case, no punctuation, spaces as hyphens, duplicates numbered. */
const anchorsOf = (text: string): ReadonlySet<string> => {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '').replaceAll(' ', '-');
    let name = slug;
    for (let count = 1; anchors.has(name); count += 1) name = `${slug}-${count}`;
    anchors.add(name);
  }
  return anchors;
};

test('anchors are those of the forges', () => {
  const text = '# A `b` and C?\n## x\n## x\n```sh\n# no heading\n```\n## The bot’s [way](y.md)';
  expect([...anchorsOf(text)]).toEqual(['a-b-and-c', 'x', 'x-1', 'the-bots-way']);
});

const documents = trackedFiles().filter((path) => path.endsWith('.md') && !path.startsWith('test/fixtures/'));

test('every picture is there', () => {
  const files = new Set(trackedFiles());
  const missing = documents.flatMap((path) =>
    [...withoutCode(readProjectFile(path)).matchAll(/<img [^>]*?src="(?!https?:)([^"]+)"/g)].flatMap(([, to = '']) =>
      files.has(posix.join(posix.dirname(path), to)) ? [] : [`${path}: ${to}`],
    ),
  );
  expect(missing).toEqual([]);
});

test('every link to a heading leads to one', () => {
  const known = new Map(documents.map((path) => [path, anchorsOf(readProjectFile(path))]));
  const broken = documents.flatMap((path) =>
    [...withoutCode(readProjectFile(path)).matchAll(/\]\((?!https?:|mailto:)([^)#]*)#([^)]+)\)/g)].flatMap((match) => {
      const [, to = '', anchor = ''] = match;
      const target = to === '' ? path : posix.join(posix.dirname(path), to);
      return known.get(target)?.has(anchor) === true ? [] : [`${path}: ${to}#${anchor}`];
    }),
  );
  expect(broken).toEqual([]);
});
