/**
 * Builds dist/: compiles services/ and shared/, copies what the code reads at run time, and marks the result as
 * complete. Nothing is left of an older build.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const DIST = join(ROOT, 'dist');
const NOT_ASSETS = new Set(['.ts', '.md']);

/** @param {string} from @param {string} to */
function copyAssets(from, to) {
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const target = join(to, name);
    if (statSync(source).isDirectory()) copyAssets(source, target);
    else if (!NOT_ASSETS.has(extname(name))) cpSync(source, target);
  }
}

rmSync(DIST, { recursive: true, force: true });
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: ROOT, stdio: 'inherit' });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
for (const folder of ['services', 'shared']) copyAssets(join(ROOT, folder), join(DIST, folder));
writeFileSync(join(DIST, '.built'), '');
