import type { Reply } from './reply.ts';
import type { World } from './world.ts';
export const renderPage = (_world: World, path: string): Reply => ({ status: 404, html: path });
