/** What a person or a CI job does after a release; this project's scripts publish nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.mjs';

/** The base image of the Dockerfile's first stage, without a digest. */
function baseImage() {
  const text = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');
  return /^FROM ([^\s$]+)/m.exec(text)?.[1] ?? '';
}

/** @param {string} value */
const quoted = (value) => (/^[\w.:@/+-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);

/**
 * @param {{ version: string, revision: string, created: string, digest: string, source: string }} facts
 * @returns {Readonly<Record<string, string>>}
 */
export function imageArguments({ version, revision, created, digest, source }) {
  return { BASE_DIGEST: digest, VERSION: version, REVISION: revision, CREATED: created, SOURCE: source };
}

/** @param {{ tarball: string, args: Readonly<Record<string, string>> }} made */
export function publishWords({ tarball, args }) {
  const { VERSION: version, BASE_DIGEST: digest } = args;
  const find = `docker buildx imagetools inspect ${baseImage()} --format '{{.Manifest.Digest}}'`;
  const flags = Object.entries(args).map(([name, value]) => {
    const open = value === '' ? `"$${name}"` : quoted(value);
    return `    --build-arg ${name}=${open} \\`;
  });
  return [
    'Arguments of the image:',
    ...Object.entries(args).map(([name, value]) => `  ${name}=${value}`),
    '',
    'To publish, in a clean checkout of the tag (IMAGE is the name of the image with its registry):',
    `  git push --atomic origin HEAD v${version}`,
    ...(digest === '' ? [`  BASE_DIGEST=$(${find})`] : []),
    ...(args.SOURCE === '' ? ['  SOURCE=...                  # URL of the repository'] : []),
    '  docker buildx build --file deploy/Dockerfile --provenance=mode=max --sbom=true \\',
    ...flags,
    `    --tag "$IMAGE:${version}" --push .`,
    '  # In a job that may ask for an identity token; the registry compares "repository" of package.json with the job:',
    `  npm publish ${tarball} --provenance --access public`,
  ];
}
