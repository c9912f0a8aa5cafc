import type { FastifyInstance } from 'fastify';

export const RETRY_AFTER_S = '10';

export const BUSY = 'too many requests are in progress; try again later';

/** Above the limit, a new connection gets 503; above twice the limit, it is closed without a response, to save memory. */
export const boundConnections = (app: FastifyInstance, most: number): void => {
  let open = 0;
  app.server.maxConnections = 2 * most;
  app.server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  app.addHook('onRequest', (_request, reply, done) => {
    if (open <= most) return done();
    reply.code(503).header('retry-after', RETRY_AFTER_S).header('connection', 'close').send({ error: BUSY });
  });
};
