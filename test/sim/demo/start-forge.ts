import { type Flavour, flavours, isFlavour } from '../forgejo/traits.ts';
import type { DemoForge } from './forge.ts';
import { startForgejoForge } from './forgejo-forge.ts';
import { startGitlabForge } from './gitlab-forge.ts';

/** A product, in the release that the demo uses for it, or one release by name. */
const PRODUCTS: Readonly<Record<string, Flavour | 'gitlab'>> = {
  forgejo: 'forgejo-15',
  gitea: 'gitea-1.26',
  gitlab: 'gitlab',
};

export type DemoForgeName = Flavour | 'gitlab';

export const forgeNames: readonly string[] = [...Object.keys(PRODUCTS), ...flavours];

export const parseForgeName = (text: string): DemoForgeName | null =>
  isFlavour(text) ? text : Object.hasOwn(PRODUCTS, text) ? (PRODUCTS[text] ?? null) : null;

export const startDemoForge = (
  name: DemoForgeName,
  options: { readonly dataDir: string; readonly port?: number },
): Promise<DemoForge> =>
  name === 'gitlab' ? startGitlabForge(options) : startForgejoForge({ ...options, flavour: name });
