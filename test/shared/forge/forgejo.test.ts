import { describeForge } from './conformance.ts';
import { startForgejoWorld } from './forgejo-world.ts';

for (const flavour of ['forgejo-15', 'forgejo-16', 'gitea-1.26'] as const) {
  describeForge(`the adapter on ${flavour}`, (totalMs) =>
    startForgejoWorld(totalMs === undefined ? { flavour } : { flavour, totalMs }),
  );
}
