/** The files of this service, read once. */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

const FILES: readonly (readonly [name: string, type: string])[] = [
  ['style.css', 'text/css; charset=utf-8'],
  ['live.js', 'text/javascript; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
];

export const addAssets = (app: FastifyInstance): void => {
  for (const [name, type] of FILES) {
    const content = readFileSync(new URL(`../assets/${name}`, import.meta.url));
    app.get(`/assets/${name}`, async (_request, reply) =>
      reply.type(type).header('cache-control', 'no-cache').send(content),
    );
  }
};
