import { afterAll } from 'vitest';
import { describeForge } from './conformance.ts';
import { type ForgejoHall, startForgejoHall } from './forgejo-world.ts';

const ALL = ['forgejo-11', 'forgejo-15', 'forgejo-16', 'gitea-1.26'] as const;
const USUAL = ['forgejo-16', 'gitea-1.26'] as const;

for (const flavour of process.env['FIXPOINT_DEEP'] === '1' ? ALL : USUAL) {
  let hall: Promise<ForgejoHall> | null = null;
  afterAll(async () => {
    await (await hall)?.close();
  });
  describeForge(`the adapter on ${flavour}`, async (totalMs) => {
    hall ??= startForgejoHall(flavour);
    return (await hall).open(totalMs);
  });
}
