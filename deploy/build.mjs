/**
 * Builds dist/: compiles services/ and shared/, copies what the code reads at run time, bundles the embedded Redis, and
 * marks the result as complete. Nothing is left of an older build.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

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

/**
 * The embedded Redis goes into the build: as a dependency, its packages would require Node 22 and a second ioredis,
 * although neither is needed.
 */
function bundleEmbeddedRedis() {
  const file = join(DIST, 'services', 'cli', 'redis', 'embedded-redis.js');
  const bundled = { bundle: true, format: 'esm', platform: 'node', target: 'node20', external: ['ioredis', 'redis'] };
  buildSync({ ...bundled, entryPoints: [file], outfile: file, allowOverwrite: true, logLevel: 'error' });
  // The Lua interpreter loads these from the folder that it is in.
  for (const name of ['redis_lua.mjs', 'redis_lua.wasm'])
    cpSync(join(folderOf('lua-redis-wasm'), 'dist', name), join(dirname(file), name));
  const notices = NOTICES.map((path) => `${path}\n\n${readFileSync(folderOf(path), 'utf8')}`);
  writeFileSync(join(dirname(file), 'LICENSES.txt'), notices.join('\n\n'));
}

const NOTICES = [
  'js-redis-server/LICENSE',
  'cluster-key-slot/LICENSE',
  'lua-redis-wasm/LICENSE',
  'lua-redis-wasm/THIRD_PARTY_NOTICES.md',
];

/** @param {string} name */
function folderOf(name) {
  return join(ROOT, 'node_modules', name);
}

/** Generated from the compiled program, so that the manual matches what is parsed. */
async function writeManPage() {
  const cli = join(DIST, 'services', 'cli');
  const { manualOf } = await import(pathToFileURL(join(cli, 'manual.js')).href);
  writeFileSync(join(DIST, 'fixpoint.1'), manualOf());
}

rmSync(DIST, { recursive: true, force: true });
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: ROOT, stdio: 'inherit' });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
for (const folder of ['services', 'shared']) copyAssets(join(ROOT, folder), join(DIST, folder));
bundleEmbeddedRedis();
// npm does this for a package that it installs; the image has a link to the file.
chmodSync(join(DIST, 'services', 'cli', 'main.js'), 0o755);
await writeManPage();
writeFileSync(join(DIST, '.built'), '');
