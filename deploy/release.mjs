/**
 * Makes a release and publishes nothing:
 *
 *   npm run release -- X.Y.Z [--dry-run] [--base-digest sha256:…] [--source URL]
 *
 * Sets the version, moves "Unreleased" of CHANGELOG.md below it, commits, tags, and makes the package and its list of
 * contents (SBOM) in release/X.Y.Z/. A second run after an interruption continues where the first run stopped.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isEmptySection, releaseDate, unreleasedText, withRelease } from './release/changelog.mjs';
import { imageArguments, publishWords } from './release/publish-words.mjs';
import { ROOT, run, say, stop, tryGit } from './release/run.mjs';
import { isLater, isVersion, VERSIONED_FILES, withVersion } from './release/version.mjs';

const CHANGELOG = 'CHANGELOG.md';
const USAGE = 'expected: npm run release -- X.Y.Z [--dry-run] [--base-digest sha256:…] [--source URL]';

function readArguments() {
  const options = /** @type {const} */ ({
    'dry-run': { type: 'boolean' },
    'base-digest': { type: 'string' },
    source: { type: 'string' },
    'refuse-publish': { type: 'boolean' },
  });
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    return { values, positionals };
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

const { values, positionals } = readArguments();
if (values['refuse-publish'])
  stop('publish the package in release/X.Y.Z/, which npm run release makes, not this folder');
const [version = '', ...more] = positionals;
if (more.length > 0 || !isVersion(version)) stop(`"${positionals.join(' ')}" is not a version\n${USAGE}`);
const digest = values['base-digest'] ?? '';
if (digest !== '' && !/^sha256:[0-9a-f]{64}$/.test(digest)) stop('--base-digest: expected sha256: and 64 digits');
const source = values.source ?? '';
if (source !== '' && !URL.canParse(source)) stop('--source: expected the URL of the repository');
const dry = values['dry-run'] === true;
const tag = `v${version}`;
const subject = `chore(release): ${version}`;

/** @param {string} words @param {() => void} act */
function step(words, act) {
  say(`${dry ? 'would ' : ''}${words}`);
  if (!dry) act();
}

/** @param {string} file */
const read = (file) => readFileSync(join(ROOT, file), 'utf8');
/** Returns the file as committed. @param {string} file */
const committed = (file) => run('git', ['show', `HEAD:${file}`]);

function dirtyFiles() {
  const listed = run('git', ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames']);
  return listed.split('\0').flatMap((line) => (line === '' ? [] : [line.slice(3)]));
}

/** The content that each file of the release will have. A date that an interrupted run wrote is kept. */
function wantedTexts() {
  const from = JSON.parse(committed('package.json')).version;
  if (from !== version && !isLater(version, from)) stop(`${version} is not later than ${from}`);
  const log = committed(CHANGELOG);
  const section = unreleasedText(log);
  if (section === null) stop(`${CHANGELOG} has no "## Unreleased"`);
  if (isEmptySection(section)) stop(`${CHANGELOG} has nothing below "## Unreleased"`);
  const date = releaseDate(read(CHANGELOG), version) ?? new Date().toISOString().slice(0, 10);
  const texts = new Map([[CHANGELOG, withRelease(log, version, date)]]);
  for (const file of VERSIONED_FILES) texts.set(file, withVersion(file, committed(file), { from, to: version }));
  return texts;
}

/** Files that an interrupted run has written count as clean. @param {ReadonlyMap<string, string>} wanted */
function checkClean(wanted) {
  const foreign = dirtyFiles().filter((file) => wanted.get(file) === undefined || read(file) !== wanted.get(file));
  if (foreign.length > 0) stop(`commit or remove first: ${foreign.join(', ')}`);
}

function commitRelease() {
  const wanted = wantedTexts();
  checkClean(wanted);
  step(`set the version to ${version} and date the changes`, () => {
    for (const [file, text] of wanted) writeFileSync(join(ROOT, file), text);
  });
  step(`commit "${subject}"`, () => {
    run('git', ['add', '--', ...wanted.keys()]);
    run('git', ['commit', '--quiet', '--message', subject]);
  });
}

function makeTag() {
  step(`tag ${tag}`, () => run('git', ['tag', '--annotate', tag, '--message', `Fixpoint ${version}`]));
}

function commitAndTag() {
  const tagged = tryGit(['rev-parse', '--quiet', '--verify', `refs/tags/${tag}^{commit}`]);
  const head = run('git', ['rev-parse', 'HEAD']).trim();
  if (tagged !== null && tagged !== head) stop(`${tag} is another commit; check it out to make its package again`);
  if (tagged !== null || releaseDate(committed(CHANGELOG), version) !== null) {
    checkClean(new Map());
    if (tagged !== null) return say(`${tag} is there`);
    if (tryGit(['log', '-1', '--format=%s']) !== subject)
      stop(`${CHANGELOG} has ${version}, but this is not its commit; tag that one, or choose another version`);
    say(`the commit of ${version} is there`);
    return makeTag();
  }
  commitRelease();
  return makeTag();
}

const folder = join('release', version);
const tarball = join(folder, `fixpoint-${version}.tgz`);
const sbom = join(folder, `fixpoint-${version}.cdx.json`);

/** Written completely or not at all, so an existing file is complete. */
function makePackage() {
  const draft = `${folder}.draft`;
  step('build dist/', () => void run(process.execPath, ['deploy/build.mjs']));
  step(`make the package ${tarball}`, () => {
    rmSync(join(ROOT, draft), { recursive: true, force: true });
    mkdirSync(join(ROOT, draft), { recursive: true });
    run('npm', ['pack', '--silent', '--pack-destination', draft]);
  });
  step(`make the list of its contents ${sbom}`, () => {
    const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
    const text = run('npm', ['sbom', ...format, '--omit', 'dev', '--package-lock-only']);
    writeFileSync(join(ROOT, draft, `fixpoint-${version}.cdx.json`), text);
    rmSync(join(ROOT, folder), { recursive: true, force: true });
    renameSync(join(ROOT, draft), join(ROOT, folder));
  });
}

commitAndTag();
makePackage();
const ends = !dry || tryGit(['rev-parse', '--quiet', '--verify', `refs/tags/${tag}^{commit}`]) !== null;
const revision = ends ? run('git', ['rev-parse', 'HEAD']).trim() : '';
const created = ends ? run('git', ['show', '--no-patch', '--format=%cI', 'HEAD']).trim() : '';
const args = imageArguments({ version, revision, created, digest, source });
say(['', ...publishWords({ tarball, args })].join('\n'));
