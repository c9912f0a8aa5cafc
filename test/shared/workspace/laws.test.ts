import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ListedFile } from '../../../shared/workspace/git/file-list.ts';
import { planCheckout } from '../../../shared/workspace/tree/checkout-plan.ts';
import { printablePath, whyPathIsRefused } from '../../../shared/workspace/tree/paths.ts';
import { createRevisions } from '../../../shared/workspace/git/revisions.ts';
import { parseTree } from '../../../shared/workspace/git/trees.ts';
import { createRepository, GIT, gitOf, never, temporaryFolder } from './repository.ts';

const deep = process.env['FIXPOINT_DEEP'] === '1';
const runs = (few: number, many: number) => ({ numRuns: deep ? many : few, seed: 20_240_607 });

const piece = fc.constantFrom(
  'a',
  '.',
  '..',
  '.git',
  '.GIT',
  'git~1',
  '/',
  '\\',
  '\0',
  '\n',
  ' ',
  ':',
  '\u200c',
  'é',
  '\u202e',
  '~',
);
const hostilePath = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

describe('whyPathIsRefused', () => {
  it('lets no path through that leaves the root, touches git or hides a character', () => {
    fc.assert(
      fc.property(hostilePath, (path) => {
        if (whyPathIsRefused(path) !== null) return;
        const absolute = resolve('/root/of/tree', path);
        expect(absolute).toBe(`/root/of/tree/${path}`);
        expect(path).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(
          path
            .toLowerCase()
            .split(/[\\/]/)
            .map((name) => name.replace(/[ .]+$/, '')),
        ).not.toContain('.git');
      }),
      runs(2000, 200_000),
    );
  });

  it('lets every plain path through', () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9_-][a-zA-Z0-9 _+@#$%()[\]-]{0,20}[a-z]$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), (names) => {
        expect(whyPathIsRefused(names.join('/'))).toBeNull();
      }),
      runs(500, 20_000),
    );
  });
});

describe('printablePath', () => {
  it('gives no control character, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        expect(printablePath(bytes)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      }),
      runs(1000, 50_000),
    );
  });
});

describe('planCheckout', () => {
  const listed = fc.record({
    path: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }).map((names) => names.join('/')),
    kind: fc.constantFrom('file', 'symlink', 'submodule'),
    bytes: fc.integer({ min: 0, max: 40 }),
  });
  const caps = { maxFiles: 100, maxFileBytes: 30, maxTotalBytes: 100 };

  it('plans every entry once, in bounds, each name once and never both as file and folder', () => {
    fc.assert(
      fc.property(fc.array(listed, { maxLength: 20 }), (entries) => {
        const files = entries.map(
          (entry): ListedFile => ({ ...entry, rawPath: Buffer.from(entry.path), objectId: 'x' }),
        );
        const plan = planCheckout(files, caps);
        const paths = plan.files.map(({ path }) => path);
        expect(plan.files.length + plan.skipped.length).toBe(entries.length);
        expect(new Set(paths).size).toBe(paths.length);
        expect(paths.filter((path) => plan.folders.includes(path))).toEqual([]);
        expect(plan.files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(caps.maxTotalBytes);
        expect(plan.files.every(({ bytes }) => bytes <= caps.maxFileBytes)).toBe(true);
      }),
      runs(500, 20_000),
    );
  });
});

describe('parseTree', () => {
  it('gives back what a tree object was made of', () => {
    const entry = fc.record({
      mode: fc.constantFrom('100644', '100755', '40000', '120000', '160000'),
      name: fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes.map((byte) => byte || 1))),
      objectId: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex')),
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 10 }), (entries) => {
        const data = Buffer.concat(
          entries.flatMap(({ mode, name, objectId }) => [
            Buffer.from(`${mode} `),
            name,
            Buffer.from([0]),
            Buffer.from(objectId, 'hex'),
          ]),
        );
        const parsed = parseTree(data, 20).map(({ mode, name, objectId }) => ({
          mode,
          name: Buffer.from(name),
          objectId,
        }));
        expect(parsed).toEqual(entries);
      }),
      runs(300, 10_000),
    );
  });

  it('refuses a cut tree object', () => {
    const whole = Buffer.concat([Buffer.from('100644 a\0'), Buffer.alloc(20, 1)]);
    for (let length = 1; length < whole.length; length += 1) {
      expect(() => parseTree(whole.subarray(0, length), 20)).toThrow(/malformed/);
    }
  });
});

describe('diff', () => {
  let folder = temporaryFolder();
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.dispose());

  const content = fc.array(fc.constantFrom('a', 'b', ' a', 'c\r', '', 'é', '-', '+x'), { maxLength: 12 });
  const version = fc.dictionary(fc.constantFrom('a', 'dir/b', 'dir/c', 'd e', 'ü'), content, { minKeys: 1 });

  it('G11 is complete: applied to the merge base it gives the head', { timeout: 120_000 }, async () => {
    const repository = createRepository(join(folder.path, 'work'));
    const revisions = createRevisions(gitOf(repository));
    const commit = (files: Readonly<Record<string, readonly string[]>>) => {
      repository.git('rm', '-rq', '--ignore-unmatch', '.');
      repository.write(Object.fromEntries(Object.entries(files).map(([name, lines]) => [name, lines.join('\n')])));
      return repository.commit('version');
    };
    const property = fc.asyncProperty(version, version, async (before, after) => {
      const target = commit(before);
      const head = commit(after);
      const result = await revisions.diff({ target, head }, never());
      const patch = result.kind === 'diff' ? result.patch : Buffer.alloc(0);
      repository.git('read-tree', target);
      if (patch.length > 0)
        execFileSync(GIT, ['apply', '--cached', '--whitespace=nowarn', '-'], {
          cwd: repository.workTree,
          input: patch,
        });
      expect(repository.git('write-tree')).toBe(await revisions.treeOf(head, never()));
      repository.git('read-tree', head);
    });
    await fc.assert(property, runs(8, 200));
    revisions.close();
  });
});
