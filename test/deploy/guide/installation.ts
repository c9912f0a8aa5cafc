/** What a reader of the quickstart has: a forge with a bot, and its address and secrets in `fixpoint.toml` and `.env`. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BROKEN, BASE } from '../../sim/demo/seeds.ts';
import { AUTHOR, type DemoForge, OWNER, REPO } from '../../sim/demo/forge.ts';
import { startDemoForge } from '../../sim/demo/start-forge.ts';
import { freePort } from '../../support/redis.ts';

export type Installation = {
  readonly forge: DemoForge;
  /** Tells the forge where its events go. */
  readonly addWebhook: () => void;
  /** Opens a change request with defects and resolves once it has a verdict. */
  readonly reviewOne: () => Promise<void>;
};

const REVIEW_MS = 60_000;

const replaceAll = (text: string, pairs: readonly (readonly [string, string])[]): string =>
  pairs.reduce((done, [from, to]) => {
    if (!done.includes(from)) throw new Error(`there is no ${from}`);
    return done.replace(from, () => to);
  }, text);

const edit = async (file: string, pairs: readonly (readonly [string, string])[]): Promise<void> =>
  writeFile(file, replaceAll(await readFile(file, 'utf8'), pairs));

/** Edits the two files in `folder` as the quickstart says; ports and waits are those of a test. */
export const fillInSettings = async (folder: string): Promise<Installation> => {
  const dataDir = path.join(folder, '..', 'forge');
  await mkdir(dataDir);
  const forge = await startDemoForge('forgejo-15', { dataDir });
  const port = await freePort();
  const webhookSecret = randomBytes(24).toString('hex');
  await edit(path.join(folder, 'fixpoint.toml'), [
    ['base_url = "https://forgejo.example.com"', `base_url = "${forge.url}"`],
    ['projects = ["owner/name"]', `projects = ["${REPO}"]`],
    ['port = 8080', `port = ${port}`],
    ['[health]\nenabled = true', '[health]\nenabled = false'],
    ['quiet_seconds = 30', 'quiet_seconds = 0'],
    ['ci_grace_s = 60', 'ci_grace_s = 0'],
  ]);
  await edit(path.join(folder, '.env'), [
    ['FIXPOINT_MARKER_SECRET=', `FIXPOINT_MARKER_SECRET=${randomBytes(32).toString('hex')}`],
    ['FORGEJO_TOKEN=', `FORGEJO_TOKEN=${forge.bot.token}`],
    ['FORGEJO_WEBHOOK_SECRET=', `FORGEJO_WEBHOOK_SECRET=${webhookSecret}`],
  ]);
  return {
    forge,
    addWebhook: () => forge.addWebhook(`http://127.0.0.1:${port}/webhooks/forgejo`, webhookSecret),
    reviewOne: () => reviewOne(forge),
  };
};

const reviewOne = async (forge: DemoForge): Promise<void> => {
  await forge.commit({ branch: 'main', files: BASE, message: 'Begin\n', author: OWNER });
  await forge.commit({ branch: 'discounts', files: BROKEN, message: 'Add discounts\n', author: AUTHOR });
  const { number } = await forge.open({ branch: 'discounts', title: 'Add discounts', description: '' });
  await forge.until(() => {
    const status = forge.look(number).headStatuses['fixpoint'] ?? 'pending';
    return status !== 'pending';
  }, REVIEW_MS);
};
